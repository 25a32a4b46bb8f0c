package backend

import "github.com/millrace-hdl/millrace/hdl"

// ExportBuses declares the buses of an instance of the back-end as ports of m. They are named
// as those of the instance, with the number behind the letter of their side where it is not
// empty: m_axi, or m3_axi for the engine with the number 3.
func (c Config) ExportBuses(m *hdl.Module, number string, of Buses) Buses {
	var all Buses
	master, slave := "m"+number+"_", "s"+number+"_"
	for i, p := range c.WriteProtocols.list() {
		prefix := c.WriteProtocols.prefix(i, c.ReadProtocols)
		switch p {
		case AXI4:
			export(m, master+prefix, hdl.Source, &all.AXIWrites, of.AXIWrites)
		case AXILite:
			export(m, master+prefix, hdl.Source, &all.LiteWrites, of.LiteWrites)
		case OBI:
			export(m, master+prefix+"_write", hdl.Source, &all.OBIWrites, of.OBIWrites)
		case TileLink:
			export(m, master+prefix+"_write", hdl.Source, &all.TLWrites, of.TLWrites)
		case AXIStream:
			export(m, master+prefix, hdl.Source, &all.StreamWrites, of.StreamWrites)
		case Init:
		}
	}
	for i, p := range c.ReadProtocols.list() {
		prefix := c.ReadProtocols.prefix(i, c.WriteProtocols)
		switch p {
		case AXI4:
			export(m, master+prefix, hdl.Source, &all.AXIReads, of.AXIReads)
		case AXILite:
			export(m, master+prefix, hdl.Source, &all.LiteReads, of.LiteReads)
		case OBI:
			export(m, master+prefix+"_read", hdl.Source, &all.OBIReads, of.OBIReads)
		case TileLink:
			export(m, master+prefix+"_read", hdl.Source, &all.TLReads, of.TLReads)
		case AXIStream:
			export(m, slave+prefix, hdl.Sink, &all.StreamReads, of.StreamReads)
		case Init:
		}
	}
	return all
}

// export declares the next of the buses as ports.
func export[B any](m *hdl.Module, name string, role hdl.Role, to *[]B, from []B) {
	inner := from[len(*to)]
	b := hdl.Ports(m, name, role, inner, hdl.MayBeUnused())
	if role == hdl.Source {
		hdl.Connect(b, inner)
	} else {
		hdl.Connect(inner, b)
	}
	*to = append(*to, b)
}
