import type { ReplyRules } from './reply-rules.ts'
import {
  chainStages,
  changeWhole,
  putBefore,
  removePrefix,
  removeSuffix,
  type TextStage,
  trimBlanks,
} from './text-stage.ts'

/** Options of finishing beside the rules of the model. */
export interface FinishOptions {
  /**
   * The prompt, when the client or the model (`parameters.echo`) wants it before the reply. The rules apply to it too.
   *
   * @default no echo
   */
  readonly echo?: string | undefined
}

/**
 * Finishes one reply while it arrives: prefix and echo before it, then the rules of the model in the order of {@link
 * ReplyRules}. The joined results of all calls equal {@link finishReply} of the whole text. Text that a rule removes is
 * never returned.
 *
 * - Without rules every piece is returned unchanged.
 * - `trimspace` and `trimsuffix` hold back white space until other text follows, and an end that may be a suffix.
 * - With `cutstrings` or `extract_regex` the whole text comes with `end`.
 *
 * One finisher serves one choice. It runs before reasoning and tool calls are read.
 */
export interface ReplyFinisher {
  /**
   * Takes a piece of the reply and returns the text to send; may be empty.
   *
   * @throws {SvcError} `internal`, code `reply_too_long`, when too much text would be held back
   */
  push(piece: string): string
  /**
   * Returns the rest. Call it once, also for a reply without text.
   *
   * @throws {SvcError} as `push`, and when a pattern takes too long
   */
  end(): string
}

/** Creates the finisher of one choice. */
export function createReplyFinisher(rules: ReplyRules, { echo = '' }: FinishOptions = {}): ReplyFinisher {
  const stages: TextStage[] = []
  if (echo !== '' || rules.prefix !== '') stages.push(putBefore(echo + rules.prefix))
  if (rules.cut.length > 0 || rules.extract.length > 0) stages.push(changeWhole((text) => applyPatterns(rules, text)))
  for (const prefix of rules.prefixes) stages.push(removePrefix(prefix), trimBlanks())
  for (const suffix of rules.suffixes) stages.push(removeSuffix(suffix), trimBlanks())
  return chainStages(stages)
}

/** Finishes a whole reply at once. @throws {SvcError} as {@link ReplyFinisher} */
export function finishReply(rules: ReplyRules, text: string, options: FinishOptions = {}): string {
  const finisher = createReplyFinisher(rules, options)
  return finisher.push(text) + finisher.end()
}

function applyPatterns({ cut, extract }: ReplyRules, text: string): string {
  const left = cut.reduce((rest, pattern) => pattern.cut(rest), text)
  const found = extract.map((pattern) => pattern.first(left)).join('')
  return found === '' ? left : found
}
