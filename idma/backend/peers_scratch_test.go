package backend_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/job"
)

func TestScratch(t *testing.T) {
	c := backend.Default()
	c.Outstanding, c.BufferDepth, c.IDWidth = 3, 3, 12
	d, err := backend.Elaborate(c)
	require.NoError(t, err)
	table := map[string][4]int{"simple": {312, 316, 472, 2647}, "tiny": {75027, 98383, 261697, 1713508}, "small": {44356, 49746, 111500, 695557},
		"medium": {110215, 110224, 112442, 319501}, "large": {272183, 272187, 272214, 274867}, "same_dst": {19619, 21464, 41636, 243525}, "linear": {4099, 4103, 4123, 4297}}
	for _, f := range []string{"linear", "simple", "zero_transfer"} {
		list, err := job.ReadFile("../../../shared/jobs/rw_axi/"+f+".txt", 1)
		require.NoError(t, err)
		for i, l := range []int{1, 3} {
			eng, err := sim.New(d, sim.Options{Seed: 1})
			require.NoError(t, err)
			r, err := tb.Run(context.Background(), eng, list, tb.RunConfig{ReadLatency: l, WriteLatency: l, Memory: tb.Separate, Launch: tb.BackToBack})
			if err != nil {
				fmt.Println(f, l, err)
				continue
			}
			mark := ""
			if int(r.Cycles) > table[f][i] {
				mark = "SLOWER"
			}
			fmt.Printf("%-10s L=%-4d cycles %d table %d %s  mism %d prot %d  %.0f cyc/s wbeats %d\n", f, l, r.Cycles, table[f][i], mark, r.Mismatches, r.ProtocolErrors, r.CyclesPerSec, r.WriteBeats)
			if e := r.Err(); e != nil {
				fmt.Println(e)
			}
		}
	}
}
