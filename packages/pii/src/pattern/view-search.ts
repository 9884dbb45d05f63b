import type { Span } from '../span.ts'
import { foldText, listFoldPlaces } from './folded-text.ts'
import { KnownHits } from './known-hits.ts'
import { listMarkupPlaces, readWithoutMarkup } from './markup-view.ts'
import { PlainViewer } from './plain-view.ts'
import type { Hit, Rule, RuleSearch } from './rule-search.ts'
import type { Search } from './run-search.ts'
import { cutToRegion, listRegions } from './text-regions.ts'

type AddHit = (hit: Hit) => void

/**
 * Finds matches in a text, also when it is written with invisible characters, in other letter forms or scripts, or with
 * markup inside of values.
 */
export function* searchViews(rules: RuleSearch, text: string, segments: readonly Span[]): Search<Hit[]> {
  const hits = yield* rules.search(text, segments)
  if (rules.hasBuiltins) yield* searchMarkup(rules, text, segments, hits)
  if (!PlainViewer.mayDiffer(text)) return hits
  yield* searchFolded(rules, text, segments, (hit) => hits.push(hit))
  for (const tags of PlainViewer.hasTags(text) ? (['unseen', 'read'] as const) : (['unseen'] as const)) {
    const viewer = new PlainViewer(text, segments, tags)
    while (!viewer.advance()) yield
    const view = viewer.view()
    if (view === undefined) continue
    for (const hit of yield* rules.search(view.text, view.segments)) hits.push({ ...hit, ...view.toText(hit) })
    yield* searchFolded(rules, view.text, view.segments, (hit) => hits.push({ ...hit, ...view.toText(hit) }))
  }
  return hits
}

/** Finds matches with digits of other scripts or look-alike letters. Most patterns of an operator do not count. */
function* searchFolded(rules: RuleSearch, text: string, segments: readonly Span[], add: AddHit): Search<void> {
  if (!rules.hasFolds) return
  for (const region of listRegions(text, listFoldPlaces(text))) {
    const written = text.slice(region.start, region.end)
    const folded = foldText(written)
    for (const hit of yield* rules.search(folded, cutToRegion(segments, region))) {
      if (hit.rule.builtin === undefined && !hit.rule.folds) continue
      if (written.slice(hit.start, hit.end) === folded.slice(hit.start, hit.end)) continue
      add({ ...hit, start: hit.start + region.start, end: hit.end + region.start })
    }
    yield
  }
}

/** Finds built-ins that markup breaks. */
function* searchMarkup(rules: RuleSearch, text: string, segments: readonly Span[], hits: Hit[]): Search<void> {
  let known: KnownHits<Rule> | undefined
  for (const region of listRegions(text, listMarkupPlaces(text))) {
    const reading = readWithoutMarkup(text.slice(region.start, region.end))
    if (reading === undefined) continue
    const parts = cutToRegion(segments, region)
    // A value that lies in two texts is not one that markup breaks.
    const shown = parts.length === 1 ? [{ start: 0, end: reading.text.length }] : []
    for (const hit of shown.length === 0 ? [] : yield* rules.search(reading.text, shown)) {
      const source = reading.toSource(hit)
      if (hit.rule.builtin === undefined || source.end - source.start === hit.end - hit.start) continue
      const place = { start: source.start + region.start, end: source.end + region.start }
      known ??= new KnownHits(hits)
      // Some values hold such marks themselves.
      if (known.isNew(place, hit.rule)) hits.push({ ...hit, ...place })
    }
    yield
  }
}
