import { createDraw, type Draw } from './draw.ts'
import { NEGATIVES } from './negatives.ts'
import { resolveText } from './resolve-text.ts'
import { VALUES, type Value } from './values.ts'

/** Counts of one group. */
export interface GroupCounts {
  readonly group: string
  readonly found: number
  readonly missed: readonly string[]
  readonly false: readonly string[]
}

interface Sample {
  readonly text: string
  /** The private text and its group; undefined in a negative. */
  readonly truth?: { readonly group: string; readonly start: number; readonly end: number }
}

/** Sentences and records around a value: `@` becomes the value with its label, `~` the label, `$` the value. */
const AROUND: readonly [string, ...string[]] = [
  'Hello, here it is: @. Thanks!',
  'Please update the record, @, before Friday.',
  '~: $',
  '{"~": "$"}',
  '- ~: $\n- status: open',
  '~ = $',
  'Note (~ $) was added by the clerk.',
  '| ~ | $ |',
  'Bonjour, voici: @, merci.',
  'Hallo, @ ist richtig, oder?',
  '<td>~ $</td>',
  'We got your message. @\nIs this right?',
]

function surround({ text, labels }: Value, group: string, draw: Draw): Sample {
  const label = labels === undefined ? draw.pick(['info', 'the value', 'contact', 'entry']) : draw.pick(labels)
  const template = draw
    .pick(AROUND)
    .replaceAll('@', '~ $')
    .replaceAll('~', () => label)
  const start = template.indexOf('$')
  return { text: template.replace('$', () => text), truth: { group, start, end: start + text.length } }
}

/** Generates samples, runs all structured detectors over each, and counts by group. */
export async function measureRecall({
  each,
  seed,
}: {
  readonly each: number
  readonly seed: number
}): Promise<GroupCounts[]> {
  const draw = createDraw(seed)
  const counts = new Map(
    Object.keys(VALUES).map((group) => [group, { group, found: 0, missed: [] as string[], false: [] as string[] }]),
  )
  const samples: Sample[] = Object.entries(VALUES).flatMap(([group, create]) =>
    Array.from({ length: each }, () => surround(create(draw), group, draw)),
  )
  for (const create of NEGATIVES) for (let at = 0; at < each; at++) samples.push({ text: create(draw) })
  for (const { text, truth } of samples) {
    const finds = await resolveText(text)
    const own = finds.filter((find) => truth?.group === find.group && find.start < truth.end && truth.start < find.end)
    if (truth !== undefined) {
      const isWhole = own.some(({ start, end }) => start <= truth.start && end >= truth.end)
      const count = counts.get(truth.group)
      if (isWhole && count !== undefined) count.found++
      else count?.missed.push(text)
    }
    for (const find of finds)
      if (!own.includes(find)) counts.get(find.group)?.false.push(`${text.slice(find.start, find.end)} in ${text}`)
  }
  return [...counts.values()]
}
