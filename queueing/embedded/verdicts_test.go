// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import "testing"

// TestVerdicts has every message that a waiting or refused application can get, word by word, because users see them in
// its status.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		queues string
		// running are granted first.
		running string
		ask     string
		want    string
	}{
		"own quota is in use, none to borrow": {
			queues:  "root\nteam-a in=root cpu=2 memory=3Gi borrow:memory=0",
			running: "x queue=team-a memory=896Mi",
			ask:     "pi queue=team-a cpu=200m memory=896Mi",
			want:    "Waiting/WaitingForQuota: needs memory 2.625Gi of flavor default; queue team-a may use at most 3Gi (nominal 3Gi, borrowing 0) and others hold the rest",
		},
		"a root has nobody to borrow from": {
			queues:  "team-a cpu=900m",
			running: "x queue=team-a cpu=200m",
			ask:     "pi queue=team-a cpu=200m",
			want:    "Waiting/WaitingForQuota: needs cpu 600m of flavor default; queue team-a may use at most 900m (nominal 900m, borrowing 0) and others hold the rest",
		},
		"two resources are limited": {
			queues:  "team-a cpu=1 memory=3Gi",
			running: "x queue=team-a cpu=200m memory=896Mi",
			ask:     "pi queue=team-a cpu=200m memory=896Mi",
			want:    "Waiting/WaitingForQuota: needs cpu 600m of flavor default; queue team-a may use at most 1 (nominal 1, borrowing 0) and others hold the rest",
		},
		"own borrowing limit": {
			queues:  "root cpu=10\nteam-a in=root cpu=1 borrow:cpu=500m",
			running: "x queue=team-a cpu=400m",
			ask:     "pi queue=team-a cpu=200m",
			want:    "Waiting/WaitingForQuota: needs cpu 600m of flavor default; queue team-a may use at most 1.5 (nominal 1, borrowing 500m) and others hold the rest",
		},
		"the pool above is in use": {
			queues:  "root memory=1Gi\nteam-a in=root memory=3Gi\nteam-b in=root memory=1Gi",
			running: "x queue=team-b memory=1Gi",
			ask:     "pi queue=team-a memory=896Mi",
			want:    "Waiting/WaitingForQuota: needs memory 2.625Gi of flavor default; queue root, above team-a, may use at most 5Gi (nominal 5Gi with what its children lend, borrowing 0) and others hold the rest",
		},
		"limit of the department": {
			queues:  "root cpu=9\ndept in=root cpu=1 borrow:cpu=2\nteam-a in=dept\nteam-b in=dept",
			running: "x queue=team-b cpu=900m",
			ask:     "pi queue=team-a cpu=200m",
			want:    "Waiting/WaitingForQuota: needs cpu 600m of flavor default; queue dept, above team-a, may use at most 3 (nominal 1 with what its children lend, borrowing 2) and others hold the rest",
		},
		"elastic": {
			queues:  "team-a cpu=900m",
			running: "x queue=team-a cpu=200m",
			ask:     "pi queue=team-a cpu=200m executors=5 min=1",
			want:    "Waiting/WaitingForQuota: needs at least cpu 400m of flavor default; queue team-a may use at most 900m (nominal 900m, borrowing 0) and others hold the rest",
		},
		"pods are a resource like others": {
			queues:  "team-a pods=5",
			running: "x queue=team-a",
			ask:     "pi queue=team-a",
			want:    "Waiting/WaitingForQuota: needs pods 3 of flavor default; queue team-a may use at most 5 (nominal 5, borrowing 0) and others hold the rest",
		},
		"not first in a strict queue": {
			queues:  "team-a strict cpu=900m",
			running: "x queue=team-a cpu=200m\ny queue=team-a cpu=200m",
			ask:     "z queue=team-a cpu=10m",
			want:    "Waiting/WaitingForQuota: queue team-a is StrictFIFO: an earlier ask must start first",
		},
		"never, own quota": {
			queues: "root\nteam-a in=root memory=2Gi borrow:memory=0",
			ask:    "pi queue=team-a memory=896Mi",
			want: "Refused/ExceedsQuota: needs memory 2.625Gi of flavor default; queue team-a can never use more than 2Gi: request less, or raise nominal of queue team-a by memory 640Mi " +
				"(or borrowingLimit of queue team-a by memory 640Mi and nominal of queue root by memory 640Mi)",
		},
		"never, with all that can be borrowed": {
			queues: "root memory=1Gi\nteam-a in=root memory=1Gi\nteam-b in=root memory=3Gi lend:memory=512Mi",
			ask:    "pi queue=team-a memory=1Gi",
			want:   "Refused/ExceedsQuota: needs memory 3Gi of flavor default; queue team-a can never use more than 2.5Gi: request less, or raise nominal of queue root by memory 512Mi",
		},
		"never, named elsewhere only": {
			queues: "root\nteam-a in=root cpu=4\nteam-b in=root cpu=1 nvidia.com/gpu=2 lend:nvidia.com/gpu=0",
			ask:    "pi queue=team-a nvidia.com/gpu=1",
			want:   "Refused/ExceedsQuota: needs nvidia.com/gpu 3 of flavor default; queue team-a can never use more than 0: request less, or raise nominal of queue root by nvidia.com/gpu 3",
		},
		"never, not even the least": {
			queues: "team-a cpu=1",
			ask:    "pi queue=team-a cpu=600m min=1",
			want:   "Refused/ExceedsQuota: needs at least cpu 1.2 of flavor default; queue team-a can never use more than 1: request less, or raise nominal of queue team-a by cpu 200m",
		},
		"queue is missing": {
			queues: "team-a",
			ask:    "pi queue=team-x",
			want:   "Waiting/ReferenceNotFound: queue team-x does not exist",
		},
		"queue is being deleted": {
			queues: "team-a deleted",
			ask:    "pi queue=team-a",
			want:   "Waiting/ReferenceNotFound: queue team-a does not exist",
		},
		"parent is missing": {
			queues: "team-a in=org",
			ask:    "pi queue=team-a",
			want:   "Waiting/ReferenceNotFound: queue team-a has the parent org, which does not exist",
		},
		"grandparent is missing": {
			queues: "dept in=org\nteam-a in=dept",
			ask:    "pi queue=team-a",
			want:   "Waiting/ReferenceNotFound: queue dept, above team-a, has the parent org, which does not exist",
		},
		"cycle": {
			queues: "a in=b\nb in=c\nc in=a",
			ask:    "pi queue=b",
			want:   "Waiting/ReferenceNotFound: queue b is its own ancestor: b → c → a → b",
		},
		"below a cycle": {
			queues: "a in=a\nteam-a in=a",
			ask:    "pi queue=team-a",
			want:   "Waiting/ReferenceNotFound: queue a, above team-a, is its own ancestor: a → a",
		},
		"long cycle": {
			queues: "a in=b\nb in=c\nc in=d\nd in=e\ne in=f\nf in=g\ng in=a",
			ask:    "pi queue=a",
			want:   "Waiting/ReferenceNotFound: queue a is its own ancestor: a → b → c → d → e → … → a",
		},
		"not a leaf": {
			queues: "root cpu=4\nteam-b in=root\ndept in=root\nteam-a in=dept",
			ask:    "pi queue=root",
			want:   "Waiting/ReferenceNotFound: queue root admits nothing itself; submit to one of its leaf queues: team-a, team-b",
		},
		"not a leaf, many": {
			queues: "r\na in=r\nb in=r\nc in=r\nd in=r\ne in=r\nf in=r\ng in=r",
			ask:    "pi queue=r",
			want:   "Waiting/ReferenceNotFound: queue r admits nothing itself; submit to one of its leaf queues: a, b, c, d, e and 2 more",
		},
		"namespace": {
			queues: "team-a only=team:a",
			ask:    "pi queue=team-a label=team:b",
			want:   "Waiting/NamespaceNotAllowed: queue team-a admits namespaces with team=a; the labels of this namespace do not match",
		},
		"no namespace": {
			queues: "team-a nobody",
			ask:    "pi queue=team-a",
			want:   "Waiting/NamespaceNotAllowed: queue team-a admits no namespace: it has no namespaceSelector",
		},
		"without limits": {
			queues: "open",
			ask:    "pi queue=open guarded",
			want: "Waiting/NamespaceNotAllowed: queue open has no limits, and a guarded namespace needs an administrator's permission for such a " +
				"queue: use a queue with quotas, or ask an administrator to add queue open to the namespace's allowed queues or to name the namespace in the " +
				"queue's namespaceSelector",
		},
		"without limits, below a parent without": {
			queues: "root\nopen in=root max=5",
			ask:    "pi queue=open guarded",
			want: "Waiting/NamespaceNotAllowed: queue open has no limits, and a guarded namespace needs an administrator's permission for such a " +
				"queue: use a queue with quotas, or ask an administrator to add queue open to the namespace's allowed queues or to name the namespace in the " +
				"queue's namespaceSelector",
		},
		"without limits, and selected by name": {queues: "open names", ask: "pi queue=open guarded", want: "Granted"},
		"without limits, for one who may":      {queues: "open", ask: "pi queue=open", want: "Granted"},
		"limits of another kind":               {queues: "team-a memory=3Gi", ask: "pi queue=team-a guarded", want: "Granted"},
		"limits above":                         {queues: "root cpu=3\nteam-a in=root", ask: "pi queue=team-a guarded", want: "Granted"},
		"limits beside":                        {queues: "root\nteam-a in=root\nteam-b in=root cpu=3", ask: "pi queue=team-a guarded", want: "Granted"},
		"flavor that the ask wants": {
			queues: "team-a cpu=4",
			ask:    "pi queue=team-a flavor=spot flavor=gpu",
			want:   "Waiting/FlavorMismatch: no flavor of queue team-a fits the executor pods: flavor default is not one of the requested flavors (spot, gpu)",
		},
		"flavor that the queue has": {
			queues: "team-a cpu/spot=4",
			ask:    "pi queue=team-a cpu=1",
			want:   "Waiting/FlavorMismatch: no flavor of queue team-a fits the driver pods: flavor spot does not exist",
		},
		"flavor that the parent has": {
			queues: "root cpu/spot=4 cpu/arm=4\nteam-a in=root",
			ask:    "pi queue=team-a cpu=1",
			want:   "Waiting/FlavorMismatch: no flavor of queue team-a fits the driver pods: flavor spot does not exist; flavor arm does not exist",
		},
		"held": {
			queues: "team-a hold",
			ask:    "pi queue=team-a",
			want:   "Waiting/QueueHeld: queue team-a is held (stopPolicy Hold)",
		},
		"held above": {
			queues: "root drain\nteam-a in=root hold\nteam-b in=root",
			ask:    "pi queue=team-b",
			want:   "Waiting/QueueHeld: queue root, above team-b, is drained (stopPolicy HoldAndDrain)",
		},
		"as many as may run": {
			queues:  "team-a max=1",
			running: "x queue=team-a",
			ask:     "pi queue=team-a",
			want:    "Waiting/MaxRunning: queue team-a has reached its maxRunning of 1",
		},
		"as many as may run above": {
			queues:  "root max=1\nteam-a in=root max=5\nteam-b in=root",
			running: "x queue=team-b",
			ask:     "pi queue=team-a",
			want:    "Waiting/MaxRunning: queue root, above team-a, has reached its maxRunning of 1",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := engineWith(t, tc.queues, tc.running)
			e.Cycle(0)
			ask := askFrom(t, tc.ask)
			e.Submit(ask)
			if got := says(e.Verdict(ask.Key)); got != "Undecided" {
				t.Errorf("before a cycle: %s", got)
			}
			e.Cycle(0)
			if got := says(e.Verdict(ask.Key)); got != tc.want {
				t.Errorf("verdict:\n got %s\nwant %s", got, tc.want)
			}
		})
	}
}

// Of several causes, the one that the user has to correct first is reported.
func TestCauseOrder(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		queues, ask, want string
	}{
		"missing before namespace": {queues: "", ask: "pi queue=x", want: "ReferenceNotFound"},
		"inner before namespace":   {queues: "a nobody\nb in=a", ask: "pi queue=a", want: "ReferenceNotFound"},
		"namespace before flavor":  {queues: "a nobody", ask: "pi queue=a flavor=spot", want: "NamespaceNotAllowed"},
		"flavor before size":       {queues: "a cpu=1", ask: "pi queue=a cpu=9 flavor=spot", want: "FlavorMismatch"},
		"size before hold":         {queues: "a cpu=1 hold", ask: "pi queue=a cpu=9", want: "ExceedsQuota"},
		"hold before max":          {queues: "a cpu=1 hold max=0", ask: "pi queue=a", want: "QueueHeld"},
		"max before room":          {queues: "a cpu=1 max=0", ask: "pi queue=a cpu=100m", want: "MaxRunning"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := engineWith(t, tc.queues, tc.ask)
			e.Cycle(0)
			if got := e.Verdict(keyOf("pi")).Reason; got != tc.want {
				t.Errorf("reason %s, want %s", got, tc.want)
			}
		})
	}
}
