import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { UsageSearch } from './search.ts'

const route = getRouteApi('/app/usage')

/** State of the page in the address, and a function that changes it. */
export function useUsageSearch(): readonly [search: UsageSearch, change: (changes: UsageSearch) => void] {
  const search: UsageSearch = route.useSearch()
  const navigate = useNavigate()
  return [search, (changes) => void navigate({ to: '/app/usage', search: { ...search, ...changes }, replace: true })]
}
