import { addCosts, listMedia, type MediaFigure, type UsageGroup } from './group-usage.ts'

/** A table as a text with commas. Texts that a spreadsheet would take for a formula begin with an apostrophe. */
export function writeCsv(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map(writeField).join(',')}\r\n`).join('')
}

const FORMULA = /^[=+\-@\t\r]/

function writeField(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const safe = FORMULA.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const MEDIA_COLUMNS: Readonly<Record<MediaFigure, string>> = {
  mediaSeconds: 'media_seconds',
  spokenCharacters: 'spoken_characters',
  images: 'images',
}

/** The shown groups, as rows of a table with a head. */
export function toTable(
  groups: readonly UsageGroup[],
  { group, toName }: { readonly group: string; readonly toName: (group: UsageGroup) => string },
): (string | number)[][] {
  const media = listMedia(groups)
  const currencies = [...addCosts(groups).keys()].sort()
  const isCounted = currencies.length > 0 || groups.some((one) => one.unpricedRequests > 0)
  return [
    [
      ...[group, 'id', 'requests', 'prompt_tokens', 'completion_tokens', 'total_tokens', 'share'],
      ...['cached_tokens', 'reasoning_tokens', 'estimated_tokens'],
      ...media.map((name) => MEDIA_COLUMNS[name]),
      ...currencies.map((currency) => `cost_micros_${currency.toLowerCase()}`),
      ...(isCounted ? ['unpriced_requests'] : []),
    ],
    ...groups.map((one) => [
      toName(one),
      one.id,
      one.requests,
      one.promptTokens,
      one.completionTokens,
      one.totalTokens,
      Number(one.share.toFixed(6)),
      one.cachedTokens,
      one.reasoningTokens,
      one.estimatedTokens,
      ...media.map((name) => one[name]),
      // an empty cost is unknown
      ...currencies.map((currency) => one.costs.get(currency) ?? ''),
      ...(isCounted ? [one.unpricedRequests] : []),
    ]),
  ]
}
