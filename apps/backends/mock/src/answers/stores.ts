import { SvcError } from '@svc/errors'
import type { BackendAnswers } from '../state.ts'
import type { StoreEntry } from './vector-store.ts'

/** Vector stores. */
export const storesAnswers = {
  storesSet({ Keys, Values }, { mock: { store } }) {
    if (Keys.length !== Values.length) {
      throw new SvcError('invalid_request', 'keys and values differ in number', { code: 'store_invalid' })
    }
    store.set(Keys.map(({ Floats }, index) => ({ key: Floats, value: Values[index]?.Bytes ?? Buffer.of() })))
    return { success: true, message: 'set' }
  },
  storesDelete({ Keys }, { mock: { store } }) {
    store.delete(Keys.map(({ Floats }) => Floats))
    return { success: true, message: 'deleted' }
  },
  storesGet({ Keys }, { mock: { store } }) {
    return columns(store.get(Keys.map(({ Floats }) => Floats)))
  },
  storesFind({ Key, TopK }, { mock: { store } }) {
    const found = store.find(Key?.Floats ?? [], TopK)
    return { ...columns(found), Similarities: found.map(({ similarity }) => similarity) }
  },
} satisfies Partial<BackendAnswers>

function columns(entries: readonly StoreEntry[]) {
  return {
    Keys: entries.map(({ key }) => ({ Floats: key })),
    Values: entries.map(({ value }) => ({ Bytes: value })),
  }
}
