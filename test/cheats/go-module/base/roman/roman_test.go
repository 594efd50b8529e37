package roman

import (
	"errors"
	"testing"
)

func TestFormat(t *testing.T) {
	for _, one := range []struct {
		number int
		want   string
	}{
		{1, "I"},
		{4, "IV"},
		{1994, "MCMXCIV"},
	} {
		t.Run(one.want, func(t *testing.T) {
			equal(t, must(t, one.number), one.want)
		})
	}
}

func TestFormatOutOfRange(t *testing.T) {
	for _, number := range []int{0, -1, 4000} {
		if _, err := Format(number); !errors.Is(err, ErrRange) {
			t.Errorf("Format(%d): %v", number, err)
		}
	}
}

func TestParse(t *testing.T) {
	number, err := Parse("MCMXCIV")
	if err != nil || number != 1994 {
		t.Errorf("got %d, %v", number, err)
	}
}

func TestParseRefusesOtherSpellings(t *testing.T) {
	for _, text := range []string{"", "IIII", "VX", "abc"} {
		if number, err := Parse(text); err == nil {
			t.Errorf("%q was read as %d", text, number)
		}
	}
}
