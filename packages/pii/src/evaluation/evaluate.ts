import type { PiiAction } from '../action.ts'
import type { OffsetEncoding } from '../offsets.ts'
import type { Span } from '../span.ts'
import { type Label, type LabelledText, readLabelledLine } from './labelled-line.ts'
import { ScoreCounts, toF } from './score-counts.ts'

/** A finding of the detectors in a text, in UTF-16 code units. */
export interface FoundEntity extends Span {
  readonly group: string
  readonly score: number
}

/** A labelled range that was not found, or a finding without a label. */
export interface Example {
  readonly line: number
  /** The text of the range: the user's own data. */
  readonly value: string
}

/** Figures of one group. A finding is right where it overlaps a label of its group. */
export interface GroupEvaluation {
  readonly group: string
  /** Number of labels: the support. */
  readonly labels: number
  /** Labels that were found: the true positives. The others are the false negatives. */
  readonly found: number
  /** Findings without a label of their group: the false positives. */
  readonly false: number
  /** Labels that only findings of other groups overlap. They count as not found. */
  readonly mistyped: number
  readonly precision: number
  readonly recall: number
  readonly f1: number
  readonly f2: number
  /** F1 where only findings of exactly the label's range count. */
  readonly strictF1: number
  /** The share of labelled characters that any finding covers, whatever its group: the recall by characters. */
  readonly coverage: number
  readonly misses: readonly Example[]
  readonly falseFinds: readonly Example[]
  /** `mask`; or `allow`, which only records, for a group whose findings are mostly wrong. */
  readonly proposedAction: PiiAction
}

/** Means of the groups with labels; 1 without any. */
export type MacroAverage = Readonly<Record<(typeof AVERAGED)[number], number>>

const AVERAGED = ['precision', 'recall', 'f1', 'f2', 'strictF1', 'coverage'] as const

/** A line that could not be used. */
export interface LineProblem {
  readonly line: number
  readonly reason: string
}

/** Result of {@link evaluateDetectors}. */
export interface DetectorEvaluation {
  readonly texts: number
  readonly groups: readonly GroupEvaluation[]
  /** All groups together: the micro average. */
  readonly total: Omit<GroupEvaluation, 'group' | 'misses' | 'falseFinds' | 'proposedAction'>
  /** The mean of the groups with labels, each counted once: the macro average. */
  readonly macro: MacroAverage
  /** The least score at which F2 over all groups is best. */
  readonly proposedMinScore: number
  /** The first problems, and the number of all. */
  readonly problems: readonly LineProblem[]
  readonly problemCount: number
}

/** Options of {@link evaluateDetectors}. */
export interface EvaluationOptions {
  /** Lines of JSON; blank ones are passed over. Read one after the other. */
  readonly lines: AsyncIterable<string> | Iterable<string>
  /** Finds private text as the filter does, overlaps united. */
  readonly find: (text: string, options: { readonly signal: AbortSignal }) => Promise<readonly FoundEntity[]>
  /** Whether the detectors can report a group. @default the groups that they report in the run */
  readonly isKnownGroup?: ((group: string) => boolean) | undefined
  /** The unit of the labels' offsets. @default 'codepoint' */
  readonly offsetEncoding?: OffsetEncoding | undefined
  readonly signal: AbortSignal
}

/** Examples that are kept of each group. */
const MOST_EXAMPLES = 20
const MOST_PROBLEMS = 100
/** Groups of one file; more are a mistake in it. */
const MOST_GROUPS = 1000
/** Below it, more findings of a group are wrong than right. */
const LEAST_PRECISION = 0.5

/** Runs detectors over labelled texts and counts their findings. Reads the lines as a stream; memory is bounded. */
export async function evaluateDetectors(options: EvaluationOptions): Promise<DetectorEvaluation> {
  const { lines, find, isKnownGroup, offsetEncoding = 'codepoint', signal } = options
  const counts = new Counts()
  let line = 0
  for await (const content of lines) {
    line++
    signal.throwIfAborted()
    if (content.trim() === '') continue
    const reading = readLabelledLine(content, offsetEncoding)
    const fault = reading.ok ? findUnknown(reading.value, isKnownGroup) : reading.reason
    if (!reading.ok || fault !== undefined) counts.addProblem(line, fault ?? '')
    else counts.addText(line, reading.value, await find(reading.value.text, { signal }))
  }
  return counts.finish(isKnownGroup === undefined)
}

function findUnknown({ labels }: LabelledText, isKnownGroup: EvaluationOptions['isKnownGroup']): string | undefined {
  const unknown = labels.find(({ group }) => isKnownGroup?.(group) === false)
  return unknown && `no detector reports the group ${JSON.stringify(unknown.group)}`
}

/** Counts of one group while texts are read. */
class GroupCounts {
  /** The first line with a label of the group. */
  line = 0
  labels = 0
  found = 0
  wrong = 0
  mistyped = 0
  exact = 0
  reported = 0
  characters = 0
  covered = 0
  readonly misses: Example[] = []
  readonly falseFinds: Example[] = []
}

const COUNTED = ['labels', 'found', 'wrong', 'mistyped', 'exact', 'reported', 'characters', 'covered'] as const

class Counts {
  private readonly groups = new Map<string, GroupCounts>()
  private readonly scores = new ScoreCounts()
  private readonly problems: LineProblem[] = []
  private problemCount = 0
  private texts = 0

  addProblem(line: number, reason: string): void {
    this.problemCount++
    if (this.problems.length < MOST_PROBLEMS) this.problems.push({ line, reason })
  }

  addText(line: number, { text, labels }: LabelledText, finds: readonly FoundEntity[]): void {
    this.texts++
    for (const label of labels) {
      const counts = this.findGroup(label.group, line)
      if (counts === undefined) continue
      counts.labels++
      if (counts.line === 0) counts.line = line
      counts.characters += label.end - label.start
      counts.covered += measureCovered(label, finds)
      const over = finds.filter((find) => overlaps(find, label))
      const right = over.filter(({ group }) => group === label.group)
      if (right.some(({ start, end }) => start === label.start && end === label.end)) counts.exact++
      if (right.length > 0) counts.found++
      else {
        if (over.length > 0) counts.mistyped++
        keep(counts.misses, { line, value: text.slice(label.start, label.end) })
      }
    }
    for (const find of finds) {
      const counts = this.findGroup(find.group, line)
      if (counts === undefined) continue
      counts.reported++
      const isTrue = labels.some((label) => label.group === find.group && overlaps(find, label))
      this.scores.add(find.score, isTrue)
      if (isTrue) continue
      counts.wrong++
      keep(counts.falseFinds, { line, value: text.slice(find.start, find.end) })
    }
  }

  finish(refusesUnreported: boolean): DetectorEvaluation {
    if (refusesUnreported) {
      for (const [group, { labels, reported, line }] of this.groups) {
        if (labels > 0 && reported === 0)
          this.addProblem(line, `no detector reports the group ${JSON.stringify(group)}`)
      }
    }
    const groups = [...this.groups].map(([group, counts]) => toEvaluation(group, counts))
    const all = new GroupCounts()
    for (const counts of this.groups.values()) {
      for (const key of COUNTED) all[key] += counts[key]
    }
    const { group: _, misses: __, falseFinds: ___, proposedAction: ____, ...total } = toEvaluation('', all)
    return {
      texts: this.texts,
      groups: groups.toSorted((one, other) => (one.group < other.group ? -1 : 1)),
      total,
      macro: toMacroAverage(groups.filter(({ labels }) => labels > 0)),
      proposedMinScore: this.scores.chooseThreshold(total.labels),
      problems: this.problems,
      problemCount: this.problemCount,
    }
  }

  private findGroup(group: string, line: number): GroupCounts | undefined {
    const known = this.groups.get(group)
    if (known !== undefined) return known
    if (this.groups.size === MOST_GROUPS) {
      this.addProblem(line, `more than ${MOST_GROUPS} groups`)
      return undefined
    }
    const counts = new GroupCounts()
    this.groups.set(group, counts)
    return counts
  }
}

function toEvaluation(group: string, counts: GroupCounts): GroupEvaluation {
  const { labels, found, wrong, mistyped, exact, reported, characters, covered, misses, falseFinds } = counts
  const precision = found + wrong === 0 ? 1 : found / (found + wrong)
  return {
    group,
    labels,
    found,
    false: wrong,
    mistyped,
    precision,
    recall: labels === 0 ? 1 : found / labels,
    f1: labels === 0 && wrong === 0 ? 1 : toF(1, found, wrong, labels - found),
    f2: labels === 0 && wrong === 0 ? 1 : toF(2, found, wrong, labels - found),
    strictF1: labels === 0 && reported === 0 ? 1 : toF(1, exact, reported - exact, labels - exact),
    coverage: characters === 0 ? 1 : covered / characters,
    misses,
    falseFinds,
    proposedAction: precision < LEAST_PRECISION ? 'allow' : 'mask',
  }
}

function toMacroAverage(groups: readonly GroupEvaluation[]): MacroAverage {
  const mean = (key: (typeof AVERAGED)[number]): number =>
    groups.length === 0 ? 1 : groups.reduce((sum, group) => sum + group[key], 0) / groups.length
  return {
    precision: mean('precision'),
    recall: mean('recall'),
    f1: mean('f1'),
    f2: mean('f2'),
    strictF1: mean('strictF1'),
    coverage: mean('coverage'),
  }
}

function overlaps(one: Span, other: Span): boolean {
  return one.start < other.end && other.start < one.end
}

/** Characters of a label that findings of any group cover; findings do not overlap. */
function measureCovered(label: Label, finds: readonly FoundEntity[]): number {
  return finds.reduce((sum, { start, end }) => {
    return sum + Math.max(0, Math.min(end, label.end) - Math.max(start, label.start))
  }, 0)
}

function keep(examples: Example[], example: Example): void {
  if (examples.length < MOST_EXAMPLES) examples.push(example)
}
