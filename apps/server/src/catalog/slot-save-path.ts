import type { ModelConfig } from './model-config.ts'

/** The option of an engine that names the folder, in the spellings of model files. */
const OPTION = /^\s*(?:--)?slot[-_]save[-_]path\s*(?::(.*))?$/is

/** Whether an option of the model is about the folder, in any spelling. */
export function isSlotOption(option: string): boolean {
  return OPTION.test(option)
}

/** Whether an empty option turns saving off, also beside the key. Another option with a folder counts before it. */
export function isSlotSavingOff({ options }: Pick<ModelConfig, 'options'>): boolean {
  return options.some(isSlotOption) && findOption(options) === undefined
}

/** Reads the folder for saved slots as the model file has it, an option before the key; undefined without one. */
export function readSlotSavePath({
  options,
  slotSavePath,
}: Pick<ModelConfig, 'options' | 'slotSavePath'>): string | undefined {
  return findOption(options) ?? (slotSavePath === '' ? undefined : slotSavePath)
}

function findOption(options: readonly string[]): string | undefined {
  return options.map((option) => OPTION.exec(option)?.[1]?.trim() ?? '').find((path) => path !== '')
}
