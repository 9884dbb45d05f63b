/** Draws bars of shares, one for each label, as an SVG that follows the light or dark theme of its reader. */
export function drawBars(title: string, bars: readonly { readonly label: string; readonly share: number }[]): string {
  const [width, height, left, bottom] = [720, 280, 16, 44]
  const step = (width - 2 * left) / bars.length
  const most = Math.max(...bars.map(({ share }) => share))
  const columns = bars.map(({ label, share }, index) => {
    const tall = ((height - bottom - 50) * share) / most
    const x = left + index * step
    const middle = (x + step / 2).toFixed(1)
    const top = height - bottom - tall
    return [
      `<rect x="${(x + 2).toFixed(1)}" y="${top.toFixed(1)}" width="${(step - 4).toFixed(1)}" height="${tall.toFixed(1)}" rx="2"/>`,
      `<text x="${middle}" y="${(top - 5).toFixed(1)}">${(100 * share).toFixed(0)} %</text>`,
      `<text x="${middle}" y="${height - bottom + 16}">${label}</text>`,
    ].join('\n  ')
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
  <style>
    text { font: 12px sans-serif; text-anchor: middle; fill: #444 }
    rect { fill: #2f6fde }
    @media (prefers-color-scheme: dark) { text { fill: #ccc } rect { fill: #6ea0f5 } }
  </style>
  <text x="${width / 2}" y="20">${title}</text>
  ${columns.join('\n  ')}
  <text x="${width / 2}" y="${height - 8}">requests of a replica, as a share of its even load</text>
</svg>
`
}
