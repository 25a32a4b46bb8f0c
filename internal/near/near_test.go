package near

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHint(t *testing.T) {
	keys := []string{"data_width", "addr_width", "id_width", "outstanding", "buffer_depth"}
	many := make([]string, 30)
	for i := range many {
		many[i] = fmt.Sprintf("name%02d", i)
	}
	for _, c := range []struct {
		name  string
		known []string
		want  string
	}{
		{"data_with", keys, "did you mean data_width?"},
		{"Outstandng", keys, "did you mean outstanding?"},
		{"depth", keys, "did you mean buffer_depth?"},
		{"colour", keys, "there are data_width, addr_width, id_width, outstanding, buffer_depth"},
		{"x", nil, "there is no key to choose from"},
		{"zzzzzz", many, "there are name00, name01, name02, name03, name04, name05, name06, name07, name08, name09, name10, name11, " +
			"name12, name13, name14, name15, name16, name17, name18, name19, name20, name21, name22, name23, …"},
	} {
		require.Equal(t, c.want, Hint("key", c.name, c.known), c.name)
	}
}
