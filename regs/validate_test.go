package regs_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/regs"
)

func TestValidateNamesWhatIsWrong(t *testing.T) {
	require.NoError(t, sample().Validate())
	register := func(m *regs.Map, name string) *regs.Register {
		for i := range m.Registers {
			if m.Registers[i].Name == name {
				return &m.Registers[i]
			}
		}
		panic(name)
	}
	for _, c := range []struct {
		edit func(m *regs.Map)
		want string
	}{
		{func(m *regs.Map) { m.Name = "Sample" }, `register map Sample: "Sample" is no name; names are in snake_case, such as done_id`},
		{func(m *regs.Map) { m.DataWidth = 24 }, "DataWidth is 24; allowed: 8, 16, 32 or 64"},
		{func(m *regs.Map) { m.AddrWidth = 2 }, "AddrWidth is 2; allowed: 3 to 32, for two words at least"},
		{func(m *regs.Map) { m.AddrWidth = 33 }, "AddrWidth is 33; allowed: 3 to 32"},
		{func(m *regs.Map) { m.Registers = nil }, "it has no registers"},
		{func(m *regs.Map) { register(m, "version").Name = "control" }, "there are two registers of this name, at 0x0 and 0x4"},
		{func(m *regs.Map) { register(m, "slot").Count = -1 }, "Count is -1"},
		{func(m *regs.Map) { register(m, "slot").Present = 5 }, "Present is 5; allowed: 0 to Count, which is 4"},
		{func(m *regs.Map) { register(m, "level").Stride = 8 }, "Stride is 8, but Count is 0"},
		{func(m *regs.Map) { register(m, "level").Offset = 0x22 }, "register level: offset 0x22 with stride 0x4 is misaligned; both are multiples of 4 bytes"},
		{func(m *regs.Map) { register(m, "slot").Stride = 6 }, "offset 0x40 with stride 0x6 is misaligned"},
		{func(m *regs.Map) { register(m, "slot").Offset = 0xf0 }, "its last word, at 0x108, is out of range; with AddrWidth 8 offsets end at 0xff"},
		{func(m *regs.Map) { register(m, "slot").Offset = 1<<64 - 4 }, "is out of range"},
		{func(m *regs.Map) { register(m, "slot").Stride = 1 << 63 }, "is out of range"},
		{func(m *regs.Map) { register(m, "level").Offset = 4 }, "register map sample: version and level overlap at 0x4"},
		{func(m *regs.Map) { register(m, "level").Offset = 0x48 }, "level and slot[1] overlap at 0x48"},
		{func(m *regs.Map) { register(m, "level").Offset = 0x4c }, "level at 0x4c and slot[4] at 0x40 … 0x58 lie between each other; put arrays behind each other"},
		{func(m *regs.Map) { register(m, "level").Fields = nil }, "register level: it has no fields"},
		{func(m *regs.Map) { register(m, "secret").OnRead = true }, "OnRead or StallRead, but no field can be read"},
		{func(m *regs.Map) { register(m, "version").StallWrite = true }, "OnWrite or StallWrite, but no field can be written"},
		{func(m *regs.Map) { register(m, "level").Fields[0].Name = "2x" }, `field level.2x: "2x" is no name`},
		{func(m *regs.Map) { register(m, "level").Fields[1].Hi = 32 }, "field level.scratch: bits 32:16 are out of range; allowed: Lo up to Hi, within 31:0"},
		{func(m *regs.Map) { register(m, "level").Fields[1].Hi = 3 }, "bits 3:16 are out of range"},
		{func(m *regs.Map) { register(m, "level").Fields[1].Lo = 15 }, "bits 31:15 overlap with field value at 15:0"},
		{func(m *regs.Map) { register(m, "level").Fields[1].Name = "value" }, "there are two fields of this name"},
		{func(m *regs.Map) { register(m, "level").Fields[1].Reset = 1 << 16 }, "the reset value 0x10000 does not fit into 16 bits"},
		{func(m *regs.Map) { register(m, "level").Fields[0].Reset = 1 }, "a field that is RO stores nothing and so has no reset value; it is 0x1"},
		{func(m *regs.Map) { register(m, "level").Fields[0].Access = 9 }, "Access(9) with usual; see the constants of Access and Hardware"},
		{func(m *regs.Map) { register(m, "level").Fields[0].Hardware = regs.Both }, "a field that is RO to software cannot be both by hardware; allowed: [written unseen]"},
		{func(m *regs.Map) { register(m, "control").Fields[0].Values[1].Value = 4 }, "value slow, 4, does not fit into 2 bits"},
		{func(m *regs.Map) { register(m, "control").Fields[0].Values[1].Value = 0 }, "values off = 0 and slow = 0 are not told apart"},
		{func(m *regs.Map) { register(m, "control").Fields[0].Values[1].Name = "mask" }, `a value called "mask" would be the name of a macro`},
		{func(m *regs.Map) {
			register(m, "version").Name, register(m, "version").Fields[0].Name = "control_mode", "x"
			register(m, "control").Fields[0].Name = "mode_x"
		}, "fields control.mode_x and control_mode.x are both called control_mode_x in C and RTL; rename one"},
		{func(m *regs.Map) { m.AddrWidth, register(m, "slot").Count = 32, 4096 }, "it has 4104 words; at most 4096"},
	} {
		m := sample()
		c.edit(m)
		require.ErrorContains(t, m.Validate(), c.want)
	}
}

// All mistakes are told at once.
func TestValidateTellsAll(t *testing.T) {
	m := sample()
	m.Registers[0].Fields[0].Reset, m.Registers[1].Offset, m.Registers[2].Fields[1].Hi = 9, 1, 40
	require.Len(t, strings.Split(m.Validate().Error(), "\n"), 3)
}

type topIO struct {
	Bus regs.Bus `hdl:"in"`
}

// What is asked of a placed file and is not in its map is a mistake with its place.
func TestNamesThatTheMapDoesNotHave(t *testing.T) {
	for _, c := range []struct {
		use  func(r regs.Registers)
		want string
	}{
		{func(r regs.Registers) { r.Word("nothing", 0) }, `map sample has no register "nothing"`},
		{func(r regs.Registers) { r.Word("slot", 3) }, "register slot of map sample has 3 elements, and no element 3"},
		{func(r regs.Registers) { r.Get("control.speed", 0) }, `register control of map sample has no field "speed"`},
		{func(r regs.Registers) { r.Get("control", 0) }, `register control of map sample has no field ""`},
		{func(r regs.Registers) { r.Get("level.value", 0) }, "hardware does not read level.value of map sample"},
		{func(r regs.Registers) { r.Give("secret", 0, hdl.K(0)) }, "hardware does not write secret of map sample"},
	} {
		top := func(m *hdl.Module, _ struct{}) topIO {
			io := hdl.Ports(m, "", hdl.Source, topIO{regs.NewBus(sample().Widths())})
			r := regs.Place(m, "u_regs", sample())
			hdl.Connect(r.Bus, io.Bus)
			c.use(r)
			return io
		}
		_, err := hdl.Elaborate(top, struct{}{}, hdl.Named("top"))
		require.ErrorContains(t, err, c.want)
	}
}

// A map that is wrong is told once, and nothing panics.
func TestAWrongMapIsAnErrorOfElaboration(t *testing.T) {
	m := sample()
	m.Registers[0].Offset = 4
	top := func(h *hdl.Module, _ struct{}) topIO {
		io := hdl.Ports(h, "", hdl.Source, topIO{regs.NewBus(m.Widths())}, hdl.MayBeUnused())
		r := regs.Place(h, "u_regs", m)
		hdl.Connect(r.Bus, io.Bus)
		r.Give("level.value", 0, r.Get("slot.high", 1))
		r.Expose(h)
		return io
	}
	_, err := hdl.Elaborate(top, struct{}{}, hdl.Named("top"))
	require.ErrorContains(t, err, "control and version overlap at 0x4")
	require.NotContains(t, err.Error(), "failed")
}
