package roman

import "fmt"

// Table lists numbers with their numerals.
func Table(from, to int) (string, error) {
	text := ""
	for number := from; number <= to; number++ {
		numeral, err := Format(number)
		if err != nil {
			return "", err
		}
		text += fmt.Sprintf("%4d %s\n", number, numeral)
	}
	return text, nil
}
