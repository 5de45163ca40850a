const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => escapes[character]!);

/** The HTML that shows the reports of a link in another page, as high as they are. */
export const embedCode = (address: string, name: string): string =>
  `<iframe src="${escaped(address)}?embed=1&amp;theme=system" title="${escaped(name)}" height="900" style="width: 100%; border: 0" loading="lazy"></iframe>
<script>
  addEventListener('message', ({ source, data }) => {
    for (const frame of document.querySelectorAll('iframe'))
      if (frame.contentWindow === source && data && data.type === 'svc:height') frame.height = data.height;
  });
</script>`;
