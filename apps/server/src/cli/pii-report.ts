import type { DetectorEvaluation, Example, GroupEvaluation } from '@svc/pii/evaluation'
import type { PiiEvalTask } from '../config/load.ts'
import { formatShare, formatTable, toText } from './report-lines.ts'

/** Longest shown part of an example. */
const LONGEST_EXAMPLE = 80

/** The result of running detectors over labelled texts, a line for each fact. */
export function formatPiiEvaluation({ detectors }: PiiEvalTask, evaluation: DetectorEvaluation): string {
  const { texts, groups, total, problems, problemCount } = evaluation
  const names = detectors.length === 0 ? 'all built-ins' : detectors.join(', ')
  return toText([
    `${names}: ${texts} texts, ${total.labels} labels`,
    ...formatTable([
      ['group', 'labels', 'precision', 'recall', 'F2', 'coverage'],
      ...groups.map((group) => [group.group, ...formatFigures(group)]),
      ['all', ...formatFigures(total)],
    ]),
    ...groups.flatMap((group) => [
      ...formatExamples(`${group.group} missed`, group.misses, group.labels - group.found),
      ...formatExamples(`${group.group} false`, group.falseFinds, group.false),
    ]),
    ...problems.map(({ line, reason }) => `line ${line}: ${reason}`),
    ...(problemCount > problems.length ? [`and ${problemCount - problems.length} more lines that cannot be used`] : []),
    ...formatProposal(evaluation),
  ])
}

function formatFigures({ labels, precision, recall, f2, coverage }: DetectorEvaluation['total']): string[] {
  return [String(labels), ...[precision, recall, f2, coverage].map(formatShare)]
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
