package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProductsOfATemplateAreReadFromFlags(t *testing.T) {
	products, err := readProducts([]string{"yearly=revenuecat:main", "monthly=stripe:https://buy.stripe.com/a=b", "once=app"})
	require.NoError(t, err)
	require.Equal(t, []map[string]any{
		{"key": "yearly", "provider": "REVENUECAT", "reference": "main"},
		{"key": "monthly", "provider": "STRIPE", "reference": "https://buy.stripe.com/a=b"},
		{"key": "once", "provider": "APP", "reference": ""},
	}, products)
	for _, wrong := range []string{"yearly", "=app", "yearly=paypal:x", ""} {
		_, err := readProducts([]string{wrong})
		require.ErrorContains(t, err, "--product", wrong)
	}
}
