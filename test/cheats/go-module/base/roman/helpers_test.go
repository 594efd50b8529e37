package roman

import "testing"

func equal(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func must(t *testing.T, number int) string {
	t.Helper()
	text, err := Format(number)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
