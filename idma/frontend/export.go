package frontend

import "github.com/millrace-hdl/millrace/hdl"

// Export declares the register ports of an instance as ports of m, with the same names.
func (r RegisterPorts) Export(m *hdl.Module) RegisterPorts {
	var all RegisterPorts
	for i, b := range r.APB {
		all.APB = append(all.APB, hdl.Ports(m, numbered("s_apb", i, len(r.APB)), hdl.Sink, b, hdl.MayBeUnused()))
		hdl.Connect(b, all.APB[i])
	}
	for i, b := range r.AXILite {
		all.AXILite = append(all.AXILite, hdl.Ports(m, numbered("s_axil", i, len(r.AXILite)), hdl.Sink, b, hdl.MayBeUnused()))
		hdl.Connect(b, all.AXILite[i])
	}
	for i, b := range r.OBI {
		all.OBI = append(all.OBI, hdl.Ports(m, numbered("s_obi", i, len(r.OBI)), hdl.Sink, b, hdl.MayBeUnused()))
		hdl.Connect(b, all.OBI[i])
	}
	return all
}

// Export declares the bus of an instance as ports of m, with the same names.
func (d DescBuses) Export(m *hdl.Module) DescBuses {
	return DescBuses{
		AXIReads: exported(m, "m_axi_desc", d.AXIReads), AXIWrites: exported(m, "m_axi_desc", d.AXIWrites),
		LiteReads: exported(m, "m_axil_desc", d.LiteReads), LiteWrites: exported(m, "m_axil_desc", d.LiteWrites),
		OBIReads: exported(m, "m_obi_desc_read", d.OBIReads), OBIWrites: exported(m, "m_obi_desc_write", d.OBIWrites),
	}
}

// exported declares a bus, if there is one.
func exported[B any](m *hdl.Module, name string, from []B) (all []B) {
	for _, b := range from {
		to := hdl.Ports(m, name, hdl.Source, b, hdl.MayBeUnused())
		hdl.Connect(to, b)
		all = append(all, to)
	}
	return all
}
