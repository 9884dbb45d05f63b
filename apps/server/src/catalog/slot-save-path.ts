import type { ModelConfig } from './model-config.ts'

/** The option of an engine that names the folder, in the spellings of model files. */
const OPTION = /^(?:--)?slot[-_]save[-_]path(?::(.*))?$/s

/** Whether an option of the model says where its slots are saved; an empty one turns saving off. */
export function hasSlotOption({ options }: Pick<ModelConfig, 'options'>): boolean {
  return options.some((option) => OPTION.test(option))
}

/** Reads the folder for saved slots as the model file has it, an option before the key; undefined without one. */
export function readSlotSavePath({
  options,
  slotSavePath,
}: Pick<ModelConfig, 'options' | 'slotSavePath'>): string | undefined {
  const named = options.map((option) => OPTION.exec(option)?.[1] ?? '').find((path) => path !== '')
  return named ?? (slotSavePath === '' ? undefined : slotSavePath)
}
