package regs_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/regs"
)

// Words of every width: what software writes through its byte strobes is what it reads,
// word by word, and what hardware sees.
func TestWordsOfEveryWidth(t *testing.T) {
	for _, width := range []int{8, 16, 32, 64} {
		bytes := width / 8
		m := &regs.Map{Name: fmt.Sprintf("words_%d", width), DataWidth: width, AddrWidth: 7, Registers: []regs.Register{
			{Name: "single", Offset: 0, Fields: []regs.Field{{Name: "single", Hi: width - 1, Lo: 0}}},
			{Name: "parts", Offset: uint64(8 * bytes), Count: 3, Stride: uint64(2 * bytes), Fields: []regs.Field{
				{Name: "top", Hi: width - 1, Lo: width - 3}, {Name: "odd", Hi: width - 4, Lo: 1, Reset: 1}}},
		}}
		// Offset, bits that exist, and what they hold after reset.
		mask := ^uint64(0) >> (64 - width)
		exists := map[uint64]uint64{0: mask}
		held := map[uint64]uint64{0: 0}
		for i := range uint64(3) {
			at := uint64(8*bytes) + i*uint64(2*bytes)
			exists[at], held[at] = mask&^1, 2
		}
		d, err := hdl.Elaborate(regs.File, m.File(), hdl.Named("words"))
		require.NoError(t, err)
		p := pins{t, model(t, d, 1)}
		require.NoError(t, p.Reset(1))
		rng := rand.New(rand.NewPCG(uint64(width), 4))
		for cycle := range 2000 {
			at := uint64(rng.IntN(16) * bytes)
			write, data, strb := rng.IntN(2) == 0, rng.Uint64()&mask, rng.Uint64()&(1<<bytes-1)
			p.setBool("bus_write", write)
			p.set("bus_valid", 1)
			p.set("bus_addr", at+uint64(rng.IntN(bytes)))
			p.In()[p.port("bus_wdata").Offset] = data
			p.set("bus_strb", strb)
			p.step()
			require.Equal(t, exists[at] == 0, p.on("bus_err"), "%d bits, cycle %d", width, cycle)
			require.Equal(t, held[at], p.get("bus_rdata"), "%d bits, cycle %d, %#x", width, cycle, at)
			require.Equal(t, held[0], p.get("single"))
			require.Equal(t, held[uint64(10*bytes)]>>(width-3), p.get("parts_1_top"))
			if !write {
				continue
			}
			for k := range bytes {
				if lane := exists[at] & (0xff << (8 * k)); strb>>k&1 == 1 && lane != 0 {
					held[at] = held[at]&^lane | data&lane
				}
			}
		}
	}
}
