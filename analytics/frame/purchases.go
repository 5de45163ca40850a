package frame

import (
	"cmp"
	"slices"
)

// CodedPurchase is a ledger row whose visitor is an ordinal.
type CodedPurchase struct {
	ID           int64 // of the row; 0 when it never changes
	At           int64 // milliseconds since 2020-01-01T00:00Z
	AmountMicros int64
	Visitor      uint32
	Product      uint32 // code in Products
	Provider     Provider
	Kind         PurchaseKind
}

// SetPurchases replaces the ledger.
func (d *Dataset) SetPurchases(purchases []Purchase) {
	coded := d.code(purchases)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.purchases = coded
}

// UpsertPurchases adds ledger rows. A row replaces the earlier version of it, of which there is at most one.
func (d *Dataset) UpsertPurchases(purchases []Purchase) {
	if len(purchases) == 0 {
		return
	}
	coded := d.code(purchases)
	changed := make(map[int64]struct{}, len(coded))
	for _, p := range coded {
		if p.ID != 0 {
			changed[p.ID] = struct{}{}
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	all := make([]CodedPurchase, 0, len(d.purchases)+len(coded))
	for _, p := range d.purchases {
		if _, replaced := changed[p.ID]; !replaced {
			all = append(all, p)
		}
	}
	all = append(all, coded...)
	slices.SortStableFunc(all, byTime)
	d.purchases = all
}

func (d *Dataset) code(purchases []Purchase) []CodedPurchase {
	coded := make([]CodedPurchase, len(purchases))
	for i, p := range purchases {
		coded[i] = CodedPurchase{
			ID: p.ID, Visitor: d.visitors.code(p.Visitor), At: p.At - EpochMillis,
			Provider: p.Provider, Kind: p.Kind, AmountMicros: p.AmountMicros, Product: d.Products.Code(p.Product),
		}
	}
	slices.SortStableFunc(coded, byTime)
	return coded
}

func byTime(a, b CodedPurchase) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.ID, b.ID)) }

// purchaseBytes is the memory of a coded purchase.
const purchaseBytes = 40
