import { familyOfGroup, isOfKind, KINDS, kindOfGroup } from './pii-sentences-kinds.ts'
import { type Label, OPTIONAL, type Sentence } from './pii-sentences-read.ts'

/** A half-open range that a detector reports, in UTF-16 units. */
export interface Finding {
  readonly start: number
  readonly end: number
  readonly group: string
}

export interface LabelOutcome {
  readonly label: Label
  /** Findings of its kind hold every letter and digit of it. */
  readonly typed: boolean
  /** Findings of any kind hold every letter and digit of it. */
  readonly untyped: boolean
  /** A finding holds a part of it. */
  readonly touched: boolean
}

export interface FindingOutcome {
  readonly finding: Finding
  /** `right`: on a label of its kind; `other`: on a label of another kind; `false`: on none; `optional`: not counted. */
  readonly verdict: 'right' | 'other' | 'false' | 'optional'
}

export interface Outcome {
  readonly sentence: Sentence
  readonly labels: readonly LabelOutcome[]
  readonly findings: readonly FindingOutcome[]
}

interface Range {
  readonly start: number
  readonly end: number
}
const overlaps = (one: Range, other: Range): boolean => one.start < other.end && other.start < one.end

/** Whether findings hold every letter and digit of a range. A sign, such as a hyphen, gives nothing away. */
function holds(text: string, range: Range, findings: readonly Range[]): boolean {
  for (const { index, 0: character } of text.slice(range.start, range.end).matchAll(/[\p{L}\p{N}]/gu)) {
    const start = range.start + index
    const end = start + character.length
    if (!findings.some((finding) => finding.start <= start && end <= finding.end)) return false
  }
  return true
}

function judge(finding: Finding, labels: readonly Label[]): FindingOutcome['verdict'] {
  const on = labels.filter((label) => overlaps(label, finding))
  if (on.some(({ kind }) => kind !== OPTIONAL && isOfKind(finding.group, kind))) return 'right'
  if (on.some(({ kind }) => kind !== OPTIONAL)) return 'other'
  return on.length > 0 ? 'optional' : 'false'
}

/** Compares what detectors found in a sentence with its labels. */
export function compare(sentence: Sentence, findings: readonly Finding[]): Outcome {
  const { text, labels } = sentence
  return {
    sentence,
    labels: labels
      .filter(({ kind }) => kind !== OPTIONAL)
      .map((label) => ({
        label,
        typed: holds(
          text,
          label,
          findings.filter(({ group }) => isOfKind(group, label.kind)),
        ),
        untyped: holds(text, label, findings),
        touched: findings.some((finding) => overlaps(finding, label)),
      })),
    findings: findings.map((finding) => ({ finding, verdict: judge(finding, labels) })),
  }
}

export interface Score {
  readonly labels: number
  /** Shares of 1; NaN where nothing is counted. */
  readonly typedRecall: number
  readonly untypedRecall: number
  readonly findings: number
  /** Findings on a label of their kind. */
  readonly typedPrecision: number
  /** Findings on any label. */
  readonly untypedPrecision: number
  /** From typed recall and typed precision, with recall four times as heavy. */
  readonly f2: number
}

/** The measure that weighs recall four times as heavy as precision; 0 where both are 0. */
export function f2(precision: number, recall: number): number {
  return precision + recall === 0 ? 0 : (5 * precision * recall) / (4 * precision + recall)
}

/** The score of the labels and findings that `isLabel` and `isFinding` choose. */
export function score(
  outcomes: readonly Outcome[],
  isLabel: (label: Label) => boolean,
  isFinding: (finding: Finding) => boolean,
): Score {
  const labels = outcomes.flatMap((outcome) => outcome.labels).filter(({ label }) => isLabel(label))
  const findings = outcomes
    .flatMap((outcome) => outcome.findings)
    .filter(({ finding, verdict }) => verdict !== 'optional' && isFinding(finding))
  const typedRecall = labels.filter(({ typed }) => typed).length / labels.length
  const right = findings.filter(({ verdict }) => verdict === 'right').length
  const typedPrecision = right / findings.length
  return {
    labels: labels.length,
    typedRecall,
    untypedRecall: labels.filter(({ untyped }) => untyped).length / labels.length,
    findings: findings.length,
    typedPrecision,
    untypedPrecision: findings.filter(({ verdict }) => verdict !== 'false').length / findings.length,
    f2: findings.length === 0 ? 0 : f2(typedPrecision, typedRecall),
  }
}

/** The score of one kind. Findings of secrets have no kind of their own: a kind of secret has recall only. */
export function scoreKind(outcomes: readonly Outcome[], kind: string): Score {
  return score(
    outcomes,
    (label) => label.kind === kind,
    ({ group }) => kindOfGroup(group) === kind,
  )
}

/** The score of a family. */
export function scoreFamily(outcomes: readonly Outcome[], family: 'structured' | 'secrets'): Score {
  return score(
    outcomes,
    ({ kind }) => KINDS[kind]?.family === family,
    ({ group }) => familyOfGroup(group) === family,
  )
}

/** Characters that findings hold in sentences without a private value, and all characters of those. */
export function maskedWithoutValue(outcomes: readonly Outcome[]): { masked: number; characters: number } {
  const plain = outcomes.filter(({ labels }) => labels.length === 0)
  const found = plain
    .flatMap(({ findings }) => findings)
    .filter(({ verdict }) => verdict !== 'optional')
    .reduce((sum, { finding }) => sum + finding.end - finding.start, 0)
  return { masked: found, characters: plain.reduce((sum, { sentence }) => sum + sentence.text.length, 0) }
}
