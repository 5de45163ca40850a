package manifest

// DecodeDraft reads a draft, which may break any rule of a manifest, within the bounds on size and nesting, and
// migrates older forms. The document is nil exactly when there are problems.
func DecodeDraft(raw []byte) (map[string]any, []Problem) {
	var r report
	doc, ok := decode(raw, &r)
	if !ok {
		return nil, r.problems
	}
	migrate(doc)
	return doc, nil
}

// Canonical writes a document in the one form of its JSON that Svc compares, stores and serves: members sorted by
// code point, no white space, no escaping that JSON does not ask for but of U+2028 and U+2029.
func Canonical(doc map[string]any) ([]byte, error) { return encode(doc) }
