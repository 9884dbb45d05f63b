import { BUILTIN_NAMES, BUILTIN_SETS, ENCODINGS, FAKE_KINDS, PHONE_REGIONS } from '@svc/pii/names'
import {
  about,
  block,
  choice,
  count,
  fileName,
  flag,
  fraction,
  integer,
  integerIn,
  list,
  map,
  number,
  plainText,
  secretName,
} from './fields.ts'

const ACTION = choice('mask', 'block', 'allow')

/** The `pii` block of a model whose requests are filtered (§2.10). */
export const PII = {
  enabled: about(flag, 'Filter the requests to this model.'),
  detectors: about(list(plainText), 'Models that detect private data. Default: --pii-default-detectors.'),
  reversible_redactions: about(flag, 'Replies show the original text again in place of its redaction.'),
  reversible_token_prefix: about(plainText, 'Beginning of a redaction. Default: [REDACTED:'),
  reversible_token_suffix: about(plainText, 'End of a redaction. Default: ]'),
  conversation_tokens: about(
    flag,
    'Keep redactions with their original text, sealed, for further requests of a conversation.',
  ),
  conversation_tokens_hours: about(
    integerIn({ min: 1, max: 8760 }),
    'How long redactions of a conversation are kept, in hours. Default: 24.',
  ),
  block_unscanned_media: about(flag, 'Refuse requests with images, audio, video or files.'),
  /** Also filters rerank requests, whose documents are compared as they are otherwise. */
  scan_rerank: flag,
  scan_media_prompts: about(flag, 'Filter the text fields of requests for images, sound and video.'),
  scan_realtime: about(flag, 'Of a pipeline: filter the turns of spoken conversations.'),
}

const GONE = 'belongs to a filter that no longer exists, ignored (name detectors instead)'

/** Keys of `pii` that earlier versions had (§9). */
export const LEGACY_PII_KEYS = { patterns: GONE, response: GONE, mode: GONE, actions: GONE, builtins: GONE }

/** The `pii_detection` block of a model that detects (§2.11). */
export const PII_DETECTION = {
  min_score: about(number, 'Detections below this score, from 0 to 1, are dropped.'),
  entity_min_scores: about(
    map(fraction),
    'The lowest score that counts in an entity group, from 0 to 1, in place of min_score.',
  ),
  default_action: about(ACTION, 'The action for entity groups without an entry in entity_actions.'),
  entity_actions: about(map(ACTION), 'The action for each entity group.'),
  builtins: about(
    list(choice(...BUILTIN_SETS, ...BUILTIN_NAMES)),
    'Built-in patterns of a pattern detector; secrets, structured and all name many of them.',
  ),
  patterns: about(
    list(block({ name: plainText, match: plainText, action: ACTION, min_len: count, fold: flag })),
    'Patterns of a pattern detector.',
  ),
  deny_list: about(
    map(list(plainText)),
    'Terms that are always found, for each entity group, as whole words in any case.',
  ),
  deny_list_files: about(
    map(list(fileName)),
    'Files in the models folder with a term a line that is always found, for each entity group.',
  ),
  allow_list: about(list(plainText), 'Values that are never findings: the whole text of a finding, in any case.'),
  allow_list_files: about(list(fileName), 'Files in the models folder with a value a line that is never a finding.'),
  checked_only: about(
    flag,
    'Leave out values that only a label and their form speak for, as their check or range is wrong.',
  ),
  phone_regions: about(
    list(choice(...PHONE_REGIONS)),
    'Regions such as DE or US whose national telephone numbers are found without a label.',
  ),
  encodings: about(list(choice(...ENCODINGS)), 'Encodings that patterns are also found in.'),
  operators: about(
    map(
      block({
        replace: about(plainText, 'A text in place of the value.'),
        keep_last: about(integer, 'The number of last characters that stay.'),
        hash_key_env: about(secretName, 'The environment variable with the key of a hash in place of the value.'),
        fake: about(
          choice(...FAKE_KINDS),
          'An invented value of this kind, which reversible_redactions restores as it does tokens.',
        ),
      }),
    ),
    'What stands in place of masked values, for each entity group. Default: [REDACTED:source:GROUP].',
  ),
  extend_to_next_word: about(list(plainText), 'Entity groups whose detections also cover the next word on the line.'),
  extend_to_previous_word: about(
    list(plainText),
    'Entity groups whose detections also cover the previous word on the line.',
  ),
  protected_terms: about(list(plainText), 'Terms that are never redacted.'),
  protected_terms_files: about(list(fileName), 'Files in the models folder with a protected term a line.'),
}
