// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// ValueError is the error for a property whose value is invalid.
type ValueError struct {
	// Field is the field to edit.
	Field string
	// Key and Value are those of the property.
	Key, Value string
	// Problem says what is wrong, Remedy what to write instead.
	Problem, Remedy string
}

// Error returns field, value, problem and remedy. The value of a sensitive key is masked.
func (e *ValueError) Error() string { return e.Field + ": " + e.Message() }

// Message returns Error without the field.
func (e *ValueError) Message() string {
	return fmt.Sprintf("value %s %s: %s", Quote(e.Key, e.Value), e.Problem, e.Remedy)
}

// Wrong returns the error for the value of a key.
func (p Properties) Wrong(key, problem, remedy string) *ValueError {
	return &ValueError{Field: p.Field(key), Key: key, Value: p.Get(key, ""), Problem: problem, Remedy: remedy}
}

// trim removes what Java removes around a value: control characters and the space. It keeps a no-break space, which
// text copied from a web page may have, so such a number is invalid.
func trim(text string) string {
	return strings.TrimFunc(text, func(c rune) bool { return c <= ' ' })
}

// Int returns a whole number in the range of Java's int, or fallback if the key is not set.
func (p Properties) Int(key string, fallback int32) (int32, error) {
	value, ok := p.Lookup(key)
	if !ok {
		return fallback, nil
	}
	number, err := strconv.ParseInt(trim(value), 10, 32)
	if err != nil {
		return 0, p.Wrong(key, "is not a whole number", "set a number such as 2")
	}
	return int32(number), nil
}

// Bool returns a boolean, or fallback if the key is not set. Upper and lower case and blanks around it do not matter.
func (p Properties) Bool(key string, fallback bool) (bool, error) {
	value, ok := p.Lookup(key)
	value = trim(value)
	switch {
	case !ok:
		return fallback, nil
	case strings.EqualFold(value, "true"):
		return true, nil
	case strings.EqualFold(value, "false"):
		return false, nil
	}
	return false, p.Wrong(key, "is neither true nor false", "set true or false")
}

// MiB returns an amount of memory in mebibytes, rounded down, or fallback if the key is not set. A number without a
// unit is in mebibytes.
func (p Properties) MiB(key string, fallback int64) (int64, error) {
	return p.memory(key, fallback, mebi)
}

// BytesInMiB is MiB for properties where a number without a unit is in bytes.
func (p Properties) BytesInMiB(key string, fallback int64) (int64, error) {
	return p.memory(key, fallback, 1)
}

// memory returns an amount of memory in mebibytes. unit is the number of bytes that a number without a unit counts.
func (p Properties) memory(key string, fallback, unit int64) (int64, error) {
	value, ok := p.Lookup(key)
	if !ok {
		return fallback, nil
	}
	amount, err := parseMemory(value, unit)
	if errors.Is(err, errTooLarge) {
		return 0, p.Wrong(key, err.Error(), "set less")
	}
	if err != nil {
		return 0, p.Wrong(key, err.Error(), MemoryForm)
	}
	return amount, nil
}

// javaHeap matches a heap size as Java reads it (-Xmx), with blanks around it, which Spark removes.
var javaHeap = regexp.MustCompile(`^\s*[0-9]+[kKmMgGtT]\s*$`)

// JavaHeap returns a heap size in Java's notation: text itself if Java can read it, else its whole mebibytes in the
// largest unit that loses nothing. It returns "" if text is not a size or is less than a mebibyte.
func JavaHeap(text string) string {
	if javaHeap.MatchString(text) {
		return text
	}
	amount, err := parseMemory(text, mebi)
	if err != nil || amount == 0 {
		return ""
	}
	unit := 0
	for ; amount%kibi == 0 && unit < len(heapUnits)-1; unit++ {
		amount /= kibi
	}
	return strconv.FormatInt(amount, 10) + heapUnits[unit:unit+1]
}

// plainSize matches an amount of memory without a unit.
var plainSize = regexp.MustCompile(`^\s*[0-9]+\s*$`)

// ExecutorHeap returns the heap size of executors so that their pods and the driver read it alike. A number without a
// unit gets the unit mebibytes, in which pods count it, because the driver would take it for bytes. It returns "" for a
// number below one.
func ExecutorHeap(text string) string {
	if plainSize.MatchString(text) {
		return JavaHeap(text)
	}
	return text
}

// heapUnits are the units of JavaHeap, from mebibytes on.
const heapUnits = "mgt"

// MemoryForm is the remedy for an invalid amount of memory.
const MemoryForm = "set a whole number followed by k, m, g or t, such as 512m or 4g"

// Float returns a finite number, or fallback if the key is not set.
func (p Properties) Float(key string, fallback float64) (float64, error) {
	value, ok := p.Lookup(key)
	if !ok {
		return fallback, nil
	}
	number, err := ParseDouble(value)
	if err != nil {
		return 0, p.Wrong(key, "is not a number", "set a number such as 0.1")
	}
	return number, nil
}

const (
	kibi = int64(1) << 10
	mebi = int64(1) << 20
)

// units are Spark's suffixes of memory sizes, in bytes. All of them are binary. Those with an i exist from Spark 4.2
// on; package validate refuses them for earlier versions.
var units = map[string]int64{
	"b": 1,
	"k": kibi, "kb": kibi, "ki": kibi, "kib": kibi,
	"m": mebi, "mb": mebi, "mi": mebi, "mib": mebi,
	"g": kibi * mebi, "gb": kibi * mebi, "gi": kibi * mebi, "gib": kibi * mebi,
	"t": mebi * mebi, "tb": mebi * mebi, "ti": mebi * mebi, "tib": mebi * mebi,
	"p": kibi * mebi * mebi, "pb": kibi * mebi * mebi, "pi": kibi * mebi * mebi, "pib": kibi * mebi * mebi,
}

// errTooLarge is the error for an amount of memory that is too large to be counted.
var errTooLarge = errors.New("is above 8Pi, the most that is counted")

var memorySize = regexp.MustCompile(`^([0-9]+)([a-z]+)?$`)

// parseMemory returns a size in Spark's notation in whole mebibytes, rounded down. Suffixes may be in upper or lower
// case.
func parseMemory(text string, unit int64) (int64, error) {
	parts := memorySize.FindStringSubmatch(strings.ToLower(trim(text)))
	if parts == nil {
		return 0, fmt.Errorf("is not a memory size")
	}
	if parts[2] != "" {
		known, ok := units[parts[2]]
		if !ok {
			return 0, fmt.Errorf("has the unknown unit %q", parts[2])
		}
		unit = known
	}
	number, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil || number > amounts.Max/unit {
		return 0, errTooLarge
	}
	return number * unit / mebi, nil
}

var double = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[dDfF]?$`)

// ParseDouble parses a finite number as Java does.
func ParseDouble(text string) (float64, error) {
	text = trim(text)
	if !double.MatchString(text) {
		return 0, fmt.Errorf("not a number: %q", text)
	}
	return strconv.ParseFloat(strings.TrimRight(text, "dDfF"), 64)
}

// FormatDouble formats a finite number as Java does: always with a fraction, and with an exponent below 0.001 and from
// ten million on.
func FormatDouble(x float64) string {
	size := math.Abs(x)
	if size == 0 || size >= 1e-3 && size < 1e7 {
		return withFraction(strconv.FormatFloat(x, 'f', -1, 64))
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, 64), "e")
	power, err := strconv.Atoi(exponent)
	if err != nil { // Only infinities and NaN have no exponent.
		return mantissa
	}
	return withFraction(mantissa) + "E" + strconv.Itoa(power)
}

// withFraction appends .0 to a number without a fraction.
func withFraction(number string) string {
	if strings.Contains(number, ".") {
		return number
	}
	return number + ".0"
}

// Split returns the elements of a comma-separated list as Spark reads it: trimmed, without empty ones.
func Split(list string) []string {
	var elements []string
	for element := range strings.SplitSeq(list, ",") {
		if element = trim(element); element != "" {
			elements = append(elements, element)
		}
	}
	return elements
}
