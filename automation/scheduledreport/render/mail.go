package render

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"

	"github.com/svc-dev/svc/automation/scheduledreport/compose"
	"github.com/svc-dev/svc/mail"
)

//go:embed report.html
var htmlSource string

var htmlReport = template.Must(template.New("html").Parse(htmlSource))

// Mail makes the email of a report, without its receiver.
func Mail(r *compose.Report, links Links) (*mail.Message, error) {
	w := wordsOf(r, links)
	m := &mail.Message{Subject: w.Subject, Text: text(w), Unsubscribe: links.Unsubscribe}
	drawn := map[string][]compose.Point{}
	if w.Chart != nil {
		drawn[visitorsID] = r.Days
	}
	if w.RevenueChart != nil {
		drawn[revenueID] = r.Revenue.Days
	}
	for _, id := range []string{visitorsID, revenueID} {
		if len(drawn[id]) == 0 {
			continue
		}
		image, err := chart(drawn[id])
		if err != nil {
			return nil, err
		}
		m.Images = append(m.Images, mail.Image{ID: id, PNG: image})
	}
	var err error
	m.HTML, err = html(w, func(id string) template.URL { return template.URL("cid:" + id) }) //nolint:gosec // ours
	return m, err
}

// Preview is an email as a page shows it, with its charts inside of the HTML.
type Preview struct{ Subject, HTML, Text string }

// PreviewMail makes the preview of an email.
func PreviewMail(r *compose.Report, links Links) (*Preview, error) {
	m, err := Mail(r, links)
	if err != nil {
		return nil, err
	}
	page, err := html(wordsOf(r, links), func(id string) template.URL {
		for _, image := range m.Images {
			if image.ID == id {
				encoded := base64.StdEncoding.EncodeToString(image.PNG)
				return template.URL("data:image/png;base64," + encoded) //nolint:gosec // ours
			}
		}
		return ""
	})
	return &Preview{m.Subject, page, m.Text}, err
}

// document is what the template of HTML reads.
type document struct {
	words

	source func(id string) template.URL
}

type chartWords struct {
	Name, Before string
	Picture      *picture
	Source       template.URL
}

func html(w words, source func(id string) template.URL) (string, error) {
	var out bytes.Buffer
	if err := htmlReport.Execute(&out, document{w, source}); err != nil {
		return "", fmt.Errorf("write a report: %w", err)
	}
	return out.String(), nil
}

// HeadlineRows and RevenueRows are figures as they stand beside each other: two fit on a phone.
func (d document) HeadlineRows() [][]figure { return inTwos(d.Headline) }

// RevenueRows: see HeadlineRows.
func (d document) RevenueRows() [][]figure { return inTwos(d.Revenue) }

// VisitorsChart is nil where there is nothing to draw, as is MoneyChart.
func (d document) VisitorsChart() *chartWords { return d.chart("Visitors", d.Chart) }

// MoneyChart: see VisitorsChart.
func (d document) MoneyChart() *chartWords { return d.chart("Net revenue", d.RevenueChart) }

func (d document) chart(name string, p *picture) *chartWords {
	if p == nil {
		return nil
	}
	return &chartWords{name, strings.TrimPrefix(d.Before, "the "), p, d.source(p.CID)}
}

func inTwos(list []figure) (rows [][]figure) {
	for ; len(list) > 2; list = list[2:] {
		rows = append(rows, list[:2])
	}
	return append(rows, list)
}
