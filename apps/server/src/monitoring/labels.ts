/** Models with a label of their own; the others share one (threats MET-1). */
const MAX_MODELS = 200
const OTHER = 'other'

/** Gives models their label: the name of the first ones, one word for all others. Names come from model files. */
export class ModelLabels {
  readonly #known = new Set<string>()

  find(model: string): string {
    if (this.#known.has(model)) return model
    if (this.#known.size >= MAX_MODELS) return OTHER
    this.#known.add(model)
    return model
  }
}
