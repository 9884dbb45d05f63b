import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ChatSearch, readChatSearch } from './search.ts'

/** The search parameters of the chat pages, and a function that changes them in place. */
export function useChatSearch(): readonly [ChatSearch, (fields: Partial<Record<keyof ChatSearch, unknown>>) => void] {
  const navigate = useNavigate()
  const search = readChatSearch(useSearch({ strict: false }))
  const change = (fields: Partial<Record<keyof ChatSearch, unknown>>) =>
    void navigate({ to: '.', search: readChatSearch({ ...search, ...fields }), replace: true })
  return [search, change]
}
