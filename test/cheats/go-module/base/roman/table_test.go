package roman

import (
	"os"
	"testing"
)

func TestTable(t *testing.T) {
	want, err := os.ReadFile("testdata/table.golden")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Table(8, 10)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, got, string(want))
}
