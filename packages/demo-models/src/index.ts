/**
 * The models svc carries with it, so that a fresh start can answer without a download.
 *
 * @module
 */
import { fileURLToPath } from 'node:url'

/** What a demo model may be asked for, in the words of `known_usecases`. */
export type DemoUsecase = 'chat' | 'completion'

/** A model file of this package and what the server has to know to offer it. */
export interface DemoModel {
  /** The name clients put in `model`. */
  readonly name: string
  /** Absolute path of the GGUF file, which carries its own tokenizer and chat template. */
  readonly file: string
  readonly usecases: readonly DemoUsecase[]
  /** Longest prompt and answer together, in tokens. */
  readonly contextSize: number
  /** One line for model lists. */
  readonly description: string
}

/**
 * Every demo model, the chat model first.
 *
 * @example
 * const chat = demoModels.find((model) => model.usecases.includes('chat'))
 */
export const demoModels: readonly DemoModel[] = [
  {
    name: 'demo',
    // one folder below the package, from src as well as from dist
    file: fileURLToPath(new URL('../weights/demo.gguf', import.meta.url)),
    usecases: ['chat', 'completion'],
    contextSize: 1024,
    description: 'A very small chat model that greets, explains svc and says when it does not know.',
  },
]
