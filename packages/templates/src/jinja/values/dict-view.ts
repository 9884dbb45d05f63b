import type { Dict } from './dict.ts'
import { TemplateObject, Tuple, type Value } from './value.ts'

/** Which part of a dict a view shows. */
export type DictPart = 'keys' | 'values' | 'items'

/** What `keys`, `values` and `items` of a dict give. */
export class DictView extends TemplateObject {
  readonly typeName: string
  readonly dict: Dict
  readonly part: DictPart

  constructor(dict: Dict, part: DictPart) {
    super()
    this.typeName = `dict_${part}`
    this.dict = dict
    this.part = part
  }

  /** Those that compare as sets are no keys. */
  override isHashable(): boolean {
    return this.part === 'values'
  }

  override itemCount(): number {
    return this.dict.size
  }

  override iterate(): Iterator<Value> {
    return this.items()
  }

  *items(): IterableIterator<Value> {
    if (this.part === 'keys') yield* this.dict.keys()
    else if (this.part === 'values') yield* this.dict.values()
    else for (const [key, value] of this.dict.entries()) yield new Tuple([key, value])
  }

  override describe(repr: (value: Value) => string): string {
    return `${this.typeName}(${repr([...this.items()])})`
  }
}
