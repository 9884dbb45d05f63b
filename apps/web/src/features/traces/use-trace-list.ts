import type { UseQueryResult } from '@tanstack/react-query'
import { useCallback } from 'react'
import { type HeldRows, type ListedPage, useHeldRows } from '../../lib/held-rows.ts'
import { useListKeys } from '../../lib/use-list-keys.ts'
import type { TracesAddress } from './use-traces-search.ts'

/** The list of the page with its keys. */
export interface TraceList<Trace> {
  readonly query: UseQueryResult<ListedPage<Trace>>
  readonly held: HeldRows<Trace> | undefined
  readonly showWaiting: () => void
  /** Opens the neighbour of the open trace; undefined if it has no neighbour. */
  readonly goNext: (() => void) | undefined
  readonly goPrevious: (() => void) | undefined
}

export function useTraceList<Trace extends { readonly id: string }>(
  { search, openId, open, close }: TracesAddress,
  query: UseQueryResult<ListedPage<Trace>>,
): TraceList<Trace> {
  const { live: _, ...rest } = search
  const { held, showWaiting } = useHeldRows(JSON.stringify(rest), query.isPlaceholderData ? undefined : query.data)
  const rows = held?.rows ?? []
  const place = rows.findIndex(({ id }) => id === openId)
  const neighbour = (step: 1 | -1) => (openId !== undefined && place < 0 ? undefined : rows[place + step]?.id)
  const next = neighbour(1)
  const previous = place < 0 ? undefined : neighbour(-1)
  const onStep = useCallback(
    (step: 1 | -1) => {
      const id = step === 1 ? next : previous
      if (id !== undefined) open(id)
    },
    [next, previous, open],
  )
  useListKeys({ onStep, onClose: () => openId !== undefined && close() })
  return {
    query,
    held,
    showWaiting,
    goNext: next === undefined ? undefined : () => open(next),
    goPrevious: previous === undefined ? undefined : () => open(previous),
  }
}
