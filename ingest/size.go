package ingest

// itemBytes is about what an event takes besides its texts.
const itemBytes = 1024

// estimateSize estimates what the event takes in memory, and its row in a COPY. Texts
// that a batch says once for all its events count for each of them: the rows
// hold them all.
func (it *item) estimateSize() int {
	if e := it.flow; e != nil {
		return itemBytes + len(e.Properties) + len(e.CustomProperties) + len(e.Attribution) +
			textBytes(e.EventID, e.Name, e.AppUserID, e.CustomUserID, e.SessionID, e.VariantID, e.StepID,
				e.AppVersion, e.Locale)
	}
	e, a := it.product, &it.product.Attribution
	return itemBytes + len(e.Properties) + len(e.CustomProperties) + len(e.AttributionMore) +
		textBytes(e.EventID, e.Name, e.AppUserID, e.CustomUserID, e.SessionID, e.Page, e.AppVersion, e.Locale,
			a.Source, a.Medium, a.Campaign, a.Content, a.Term, a.Adset, a.Creative, a.Referrer, a.Landing)
}

func textBytes(texts ...string) (n int) {
	for _, text := range texts {
		n += len(text)
	}
	return n
}
