import type { ConfusionCell, Evaluation, FitReport, KnnThresholds } from '@svc/router/fit'
import { formatShare, formatTable, toText } from './report-lines.ts'

/** Misses that a report names. */
const NAMED_MISSES = 20

/** The result of routing labelled texts, a line for each fact. */
export function formatEvaluation(router: string, evaluation: Evaluation): string {
  const { total, correct, rate, confusion, misses, problems, problemCount } = evaluation
  const unread = problems.map(({ line, problem }) => `line ${line}: ${problem}`)
  return toText([
    `router "${router}": ${total} texts, ${correct} routed right (${formatShare(rate)})`,
    ...formatCells(['right model', 'served model'], confusion),
    ...misses
      .slice(0, NAMED_MISSES)
      .map(
        ({ line, expected, served, labels }) =>
          `line ${line}: ${served} instead of ${expected}; labels: ${labels.join(', ') || 'none'}`,
      ),
    ...(misses.length > NAMED_MISSES ? [`and ${total - correct - NAMED_MISSES} more texts routed wrong`] : []),
    ...unread,
    ...(problemCount > unread.length
      ? [`and ${problemCount - unread.length} more lines that are no labelled text`]
      : []),
  ])
}

/** Thresholds of a `knn` router that fit its corpus, and the lines for its file. */
export function formatKnnFit(router: string, report: FitReport<KnnThresholds>): string {
  const { current, proposed } = report
  return toText([
    `router "${router}": ${report.sampleCount} texts of its corpus, each routed by the others`,
    ...formatTable([
      ['', 'now', 'proposed'],
      ...(['similarityThreshold', 'voteThreshold'] as const).map((key) => [
        KNN_KEYS[key],
        formatThreshold(current.thresholds[key]),
        formatThreshold(proposed.thresholds[key]),
      ]),
      ...formatRates(report),
    ]),
    ...formatConsequences(report),
    '',
    `router:`,
    `  knn:`,
    `    ${KNN_KEYS.similarityThreshold}: ${formatThreshold(proposed.thresholds.similarityThreshold)}`,
    `    ${KNN_KEYS.voteThreshold}: ${formatThreshold(proposed.thresholds.voteThreshold)}`,
  ])
}

/** The activation threshold of a router that fits labelled texts, and the lines for its file. */
export function formatActivationFit(router: string, report: FitReport<number>): string {
  const [now, proposed] = [report.current, report.proposed].map(({ thresholds }) => formatThreshold(thresholds))
  return toText([
    `router "${router}": ${report.sampleCount} texts`,
    ...formatTable([
      ['', 'now', 'proposed'],
      ['activation_threshold', now ?? '', proposed ?? ''],
      ...formatRates(report),
    ]),
    ...formatConsequences(report),
    '',
    'router:',
    `  activation_threshold: ${proposed}`,
  ])
}

const KNN_KEYS = { similarityThreshold: 'similarity_threshold', voteThreshold: 'vote_threshold' } as const

function formatRates<T>({ current, proposed }: FitReport<T>): string[][] {
  return [
    ['right model', formatShare(current.accuracy), formatShare(proposed.accuracy)],
    ['exact labels', formatShare(current.exactLabels), formatShare(proposed.exactLabels)],
  ]
}

function formatConsequences<T>({ confusion, labels, changes }: FitReport<T>): string[] {
  return [
    '',
    'With the proposed thresholds:',
    ...formatCells(['right model', 'served model'], confusion),
    ...formatTable([
      ['label', 'found', 'missed', 'wrong'],
      ...labels.map(({ label, truePositives, falseNegatives, falsePositives }) => [
        label,
        String(truePositives),
        String(falseNegatives),
        String(falsePositives),
      ]),
    ]),
    ...(changes.length === 0
      ? ['No text changes its model.']
      : ['Texts that change their model:', ...formatCells(['from', 'to'], changes)]),
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

/** Rows as lines of columns. */
const formatThreshold = (threshold: number): string => threshold.toFixed(2)
