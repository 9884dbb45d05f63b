import type { LoadOptions } from '@svc/backend-kit/options'

/** Spellings of the option for the folder of saved slots. */
export const SLOT_OPTIONS = ['slot_save_path', '--slot-save-path', 'slot-save-path', '--slot_save_path'] as const

/** Options with an effect in this backend. */
const HONOURED = new Set([
  ...['parallel', 'n_parallel', 'queue', 'context_shift', 'slot_prompt_similarity', 'sps', 'swa_full', 'check_tensors'],
  ...['embd_normalize', 'pooling', 'pooling_type', 'rerank', ...SLOT_OPTIONS],
])

/** Options whose effect this backend has anyway. */
const GIVEN = new Set(['use_jinja', 'jinja', 'gpu', 'cont_batching', 'warmup', 'cache_reuse', 'n_cache_reuse'])

/** Names of options that have no effect here. */
export function findIgnoredOptions(options: LoadOptions): readonly string[] {
  return [...options.keys()].filter((name) => name !== '' && !HONOURED.has(name) && !GIVEN.has(name))
}
