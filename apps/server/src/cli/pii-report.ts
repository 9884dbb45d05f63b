import type { DetectorEvaluation, Example, GroupEvaluation, MacroAverage } from '@svc/pii/evaluation'
import type { PiiEvalTask } from '../config/load.ts'
import { formatShare, formatTable, toText } from './report-lines.ts'

/** Longest shown part of an example. */
const LONGEST_EXAMPLE = 80

/** The result of running detectors over labelled texts, a line for each fact. */
export function formatPiiEvaluation({ detectors }: PiiEvalTask, evaluation: DetectorEvaluation): string {
  const { texts, groups, total, macro, problems, problemCount } = evaluation
  const names = detectors.length === 0 ? 'all built-ins' : detectors.join(', ')
  return toText([
    `${names}: ${texts} texts, ${total.labels} labels`,
    ...formatTable([
      ['group', 'support', 'precision', 'recall', 'F1', 'F2', 'strict F1', 'character recall', 'TP', 'FP', 'FN'],
      ...groups.map((group) => [group.group, ...formatFigures(group)]),
      ['micro average', ...formatFigures(total)],
      ['macro average', '', ...formatShares(macro)],
    ]),
    'A finding is right where it overlaps a label of its group; strict: where it has exactly its range.',
    ...(total.mistyped > 0 ? [`${total.mistyped} of the missed labels were found as another group`] : []),
    ...groups.flatMap((group) => [
      ...formatExamples(`${group.group} missed`, group.misses, group.labels - group.found),
      ...formatExamples(`${group.group} false`, group.falseFinds, group.false),
    ]),
    ...problems.map(({ line, reason }) => `line ${line}: ${reason}`),
    ...(problemCount > problems.length ? [`and ${problemCount - problems.length} more lines that cannot be used`] : []),
    ...formatProposal(evaluation),
  ])
}

function formatFigures(figures: DetectorEvaluation['total']): string[] {
  const { labels, found, false: wrong } = figures
  return [String(labels), ...formatShares(figures), ...[found, wrong, labels - found].map(String)]
}

function formatShares({ precision, recall, f1, f2, strictF1, coverage }: MacroAverage): string[] {
  return [precision, recall, f1, f2, strictF1, coverage].map(formatShare)
}

function formatExamples(title: string, examples: readonly Example[], count: number): string[] {
  const shown = examples.map(({ line, value }) => `${title}: line ${line}: ${shorten(value)}`)
  return count > shown.length ? [...shown, `${title}: and ${count - shown.length} more`] : shown
}

/** The value as JSON writes it, so that it stays on its line. */
function shorten(value: string): string {
  const text = JSON.stringify(value)
  return text.length > LONGEST_EXAMPLE ? `${text.slice(0, LONGEST_EXAMPLE)}…` : text
}

/** The lines for the file of a detector. */
function formatProposal({ groups, proposedMinScore }: DetectorEvaluation): string[] {
  const actions = groups.filter(isProposed).map(({ group, proposedAction }) => `    ${group}: ${proposedAction}`)
  const lines = [
    ...(proposedMinScore > 0 ? [`  min_score: ${proposedMinScore}`] : []),
    ...(actions.length > 0 ? ['  entity_actions:', ...actions] : []),
  ]
  return lines.length === 0 ? [] : ['', 'pii_detection:', ...lines]
}

function isProposed({ proposedAction }: GroupEvaluation): boolean {
  return proposedAction !== 'mask'
}
