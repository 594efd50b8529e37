// Package roman converts Roman numerals.
package roman

import (
	"errors"
	"strings"
)

// ErrRange is returned for numbers that have no numeral.
var ErrRange = errors.New("out of range")

var parts = []struct {
	value  int
	symbol string
}{
	{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"},
	{50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"},
}

// Format writes a number from 1 to 3999 as a numeral.
func Format(number int) (string, error) {
	if number < 1 || number > 3999 {
		return "", ErrRange
	}
	var text strings.Builder
	for _, part := range parts {
		for number >= part.value {
			text.WriteString(part.symbol)
			number -= part.value
		}
	}
	return text.String(), nil
}

// Parse reads a numeral.
func Parse(text string) (int, error) {
	number, rest := 0, text
	for _, part := range parts {
		for strings.HasPrefix(rest, part.symbol) {
			number += part.value
			rest = rest[len(part.symbol):]
		}
	}
	if again, err := Format(number); err != nil || again != text {
		return 0, errors.New("not a numeral: " + text)
	}
	return number, nil
}
