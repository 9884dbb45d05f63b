import { redactText } from './analyze.ts'
import { defaultDetectors } from './default-detectors.ts'
import type { Detector } from './detector.ts'
import { piiBlocked } from './errors.ts'
import type { FilterOptions } from './filter.ts'

/** Options of {@link redact}; each has a default. */
export interface RedactOptions extends Omit<FilterOptions, 'detectors'> {
  /** @default every built-in secret and structured text */
  readonly detectors?: readonly Detector[] | undefined
}

/**
 * Masks the private text of one text.
 *
 * @returns the text with `[REDACTED:pattern:EMAIL]` and the like in place of values; the same text without any
 * @throws SvcError `pii_blocked`, kind `invalid_request`, when a policy refuses the text; `pii_ner_unavailable`, kind
 *   `unavailable`, when a detector fails
 * @example
 * await redact('Mail ada@lab.example') // 'Mail [REDACTED:pattern:EMAIL]'
 */
export async function redact(text: string, options: RedactOptions = {}): Promise<string> {
  const { detectors = defaultDetectors(), ...rest } = options
  const redaction = await redactText(text, { ...rest, detectors })
  if (redaction.blocked) throw piiBlocked({}, 'text')
  return redaction.redactedText
}
