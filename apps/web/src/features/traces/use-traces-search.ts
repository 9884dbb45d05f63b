import { getRouteApi, useNavigate, useParams } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { TracesSearch } from './search.ts'

const route = getRouteApi('/app/traces')

/** State of the page in the address, and functions that change it. */
export interface TracesAddress {
  readonly search: TracesSearch
  /** The trace that is open beside the list. */
  readonly openId: string | undefined
  /** Changes the list: another list begins at its first page. */
  readonly change: (changes: TracesSearch) => void
  /** Goes to another page of the list. */
  readonly goTo: (page: number, at: number) => void
  readonly open: (id: string) => void
  readonly close: () => void
}

export function useTracesAddress(): TracesAddress {
  const search: TracesSearch = route.useSearch()
  const { id: openId } = useParams({ strict: false }) as { readonly id?: string }
  const navigate = useNavigate()
  const go = useCallback(
    (id: string | undefined, next: TracesSearch, replace: boolean) =>
      void (id === undefined
        ? navigate({ to: '/app/traces', search: next, replace })
        : navigate({ to: '/app/traces/$id', params: { id }, search: next, replace })),
    [navigate],
  )
  return {
    search,
    openId,
    change: (changes) => {
      const isOtherKind = 'kind' in changes && changes.kind !== search.kind
      go(
        isOtherKind ? undefined : openId,
        {
          ...search,
          page: undefined,
          at: undefined,
          ...changes,
        },
        !isOtherKind,
      )
    },
    goTo: (page, at) =>
      go(openId, { ...search, page: page > 1 ? page : undefined, at: page > 1 ? at : undefined }, false),
    open: (id) => go(id, search, openId !== undefined),
    close: () => go(undefined, search, true),
  }
}
