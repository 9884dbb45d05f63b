import type { ConfusionCell, EmbeddedTexts, Evaluation, FitReport, GroupCounts, KnnThresholds } from '@svc/router/fit'
import { formatShare, formatTable, toText } from './report-lines.ts'

/** Misses that a report names. */
const NAMED_MISSES = 20

/** The result of routing labelled texts, a line for each fact. */
export function formatEvaluation(router: string, evaluation: Evaluation): string {
  const { total, correct, rate, confusion, misses, rules } = evaluation
  return toText([
    `router "${router}": ${total} texts, ${correct} routed right (${formatShare(rate)})`,
    ...formatFailures(evaluation),
    ...formatCells(['right model', 'served model'], confusion),
    ...(rules.length === 0
      ? []
      : formatTable([['rule', 'texts'], ...rules.map(({ name, count }) => [name, String(count)])])),
    ...misses
      .slice(0, NAMED_MISSES)
      .map(
        ({ line, expected, served, labels }) =>
          `line ${line}: ${served} instead of ${expected}; labels: ${labels.join(', ') || 'none'}`,
      ),
    ...(misses.length > NAMED_MISSES ? [`and ${total - correct - NAMED_MISSES} more texts routed wrong`] : []),
    ...formatProblems(evaluation),
  ])
}

/** A fit of `knn`, and the texts beside the corpus. */
interface KnnFit {
  readonly report: FitReport<KnnThresholds>
  readonly read: Pick<EmbeddedTexts, 'texts' | 'problems' | 'problemCount'>
}

/** Thresholds of a `knn` router that fit its corpus, and the lines for its file. */
export function formatKnnFit(router: string, { report, read }: KnnFit): string {
  const { current, proposed, sampleCount, outOfScope, severalLabels } = report
  const { length: beside } = read.texts
  const corpus = `${sampleCount - beside} texts of its corpus, each routed by the others`
  return toText([
    `router "${router}": ${corpus}${beside === 0 ? '' : `, and ${beside} texts of the file`}`,
    ...formatFit(
      report,
      KNN_KEYS.map(([key, field]) => [
        key,
        formatThreshold(current.thresholds[field]),
        formatThreshold(proposed.thresholds[field]),
      ]),
    ),
    ...formatOutOfScope(router, outOfScope),
    ...formatSeveralLabels(severalLabels),
    ...formatProblems(read),
    ...formatLines(report, [
      '  knn:',
      ...KNN_KEYS.map(([key, field]) => `    ${key}: ${formatThreshold(proposed.thresholds[field])}`),
    ]),
  ])
}

/** A fit of labelled texts, and their evaluation. */
interface ActivationFit {
  readonly report: FitReport<number>
  readonly evaluation: Pick<Evaluation, 'failedCount' | 'problems' | 'problemCount'>
}

/** The activation threshold of a router that fits labelled texts, and the lines for its file. */
export function formatActivationFit(router: string, { report, evaluation }: ActivationFit): string {
  const { current, proposed, sampleCount } = report
  return toText([
    `router "${router}": ${sampleCount} texts`,
    ...formatFailures(evaluation),
    ...formatFit(report, [
      ['activation_threshold', formatThreshold(current.thresholds), formatThreshold(proposed.thresholds)],
    ]),
    ...formatProblems(evaluation),
    ...formatLines(report, [`  activation_threshold: ${formatThreshold(proposed.thresholds)}`]),
  ])
}

const KNN_KEYS = [
  ['similarity_threshold', 'similarityThreshold'],
  ['vote_threshold', 'voteThreshold'],
] as const

/** The table of thresholds and shares, and the results of the thresholds. */
function formatFit<T>(report: FitReport<T>, thresholds: readonly (readonly string[])[]): string[] {
  const { current, proposed, hasGain } = report
  const rows = [
    ['', 'now', 'proposed'],
    ...thresholds,
    ['right model', formatShare(current.accuracy), formatShare(proposed.accuracy)],
    ['exact labels', formatShare(current.exactLabels), formatShare(proposed.exactLabels)],
  ]
  return [
    ...formatTable(hasGain ? rows : rows.map((row) => row.slice(0, 2))),
    ...(hasGain ? [] : ['', 'No proposal: no other thresholds do better, for these texts and for texts like them.']),
    '',
    `With the ${hasGain ? 'proposed' : 'present'} thresholds:`,
    ...formatCells(['right model', 'served model'], report.confusion),
    ...formatTable([
      ['label', 'found', 'missed', 'wrong'],
      ...report.labels.map(({ label, truePositives, falseNegatives, falsePositives }) => [
        label,
        String(truePositives),
        String(falseNegatives),
        String(falsePositives),
      ]),
    ]),
    ...(hasGain ? formatChanges(report) : []),
  ]
}

function formatChanges<T>({ changes }: FitReport<T>): string[] {
  if (changes.length === 0) return ['No text changes its model.']
  return ['Texts that change their model:', ...formatCells(['from', 'to'], changes)]
}

/** Reports the texts outside the corpus. Without them nobody knows from which similarity on a prompt belongs to it. */
function formatOutOfScope(router: string, { total, correct }: GroupCounts): string[] {
  if (total > 0) return [`Texts without a label: the fallback serves ${correct} of ${total}.`]
  return [
    'No text is without a label, so nothing shows from which similarity on a prompt belongs to the corpus. Write such',
    `prompts to a file as {"text": "...", "labels": []}, and name it: svc router fit ${router} FILE`,
  ]
}

function formatSeveralLabels({ total, correct }: GroupCounts): string[] {
  const found =
    total === 0
      ? 'No text has several labels.'
      : `Texts with several labels: ${correct} of ${total} get exactly theirs.`
  if (total > 0 && correct === total) return [found]
  return [
    `${found} Texts with one label rarely make two labels active: add texts`,
    'that carry all labels of such prompts to the corpus.',
  ]
}

/** The lines for the file of the router; none where nothing is proposed. */
function formatLines<T>({ hasGain }: FitReport<T>, lines: readonly string[]): string[] {
  return hasGain ? ['', 'router:', ...lines] : []
}

function formatFailures({ failedCount }: Pick<Evaluation, 'failedCount'>): string[] {
  return failedCount === 0 ? [] : [`The classifier failed on ${failedCount} texts; the fallback served them.`]
}

function formatProblems({ problems, problemCount }: Pick<Evaluation, 'problems' | 'problemCount'>): string[] {
  const more = problemCount - problems.length
  return [
    ...problems.map(({ line, problem }) => `line ${line}: ${problem}`),
    ...(more > 0 ? [`and ${more} more lines that cannot be used`] : []),
  ]
}

function formatCells([first, second]: readonly [string, string], cells: readonly ConfusionCell[]): string[] {
  if (cells.length === 0) return []
  const name = (model: string) => model || '(none)'
  return formatTable([
    [first, second, 'texts'],
    ...cells.map(({ expected, served, count }) => [name(expected), name(served), String(count)]),
  ])
}

/** Formats a threshold with two decimals, or as many as it has, up to four. */
function formatThreshold(threshold: number): string {
  const short = String(Number(threshold.toFixed(4)))
  const decimals = short.split('.')[1]?.length ?? 0
  return decimals > 2 ? short : threshold.toFixed(2)
}
