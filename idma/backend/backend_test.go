package backend_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/backend"
)

func TestElaborates(t *testing.T) {
	for _, edit := range []func(*backend.Config){
		func(c *backend.Config) {},
		func(c *backend.Config) { c.CombinedShifter = false },
		func(c *backend.Config) { c.Legalizer = false },
		func(c *backend.Config) { c.Coupler = false },
		func(c *backend.Config) { c.ReserveBuffer = true; c.BufferDepth = 16 },
		func(c *backend.Config) {
			c.DataWidth = 16
			c.AddrWidth = 12
			c.LengthWidth = 12
			c.Outstanding = 1
			c.BufferDepth = 2
		},
		func(c *backend.Config) { c.DataWidth = 1024; c.AddrWidth = 64; c.LengthWidth = 64; c.Outstanding = 64 },
	} {
		c := backend.Default()
		edit(&c)
		_, err := backend.Elaborate(c)
		require.NoError(t, err, "%+v", c)
	}
}
