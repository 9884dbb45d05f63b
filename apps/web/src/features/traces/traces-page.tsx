import { useQuery } from '@tanstack/react-query'
import { callsQuery, requestsQuery } from './api.ts'
import { CallPeek } from './call-peek.tsx'
import { CallTable } from './call-table.tsx'
import { RequestPeek } from './request-peek.tsx'
import { RequestTable } from './request-table.tsx'
import { TracesFrame } from './traces-frame.tsx'
import { useTraceList } from './use-trace-list.ts'
import { type TracesAddress, useTracesAddress } from './use-traces-search.ts'

/** Requests and calls to backends, to find the slow ones with their callers and times. */
export function TracesPage() {
  const address = useTracesAddress()
  return address.search.kind === 'backend' ? <CallsPage address={address} /> : <RequestsPage address={address} />
}

function RequestsPage({ address }: { readonly address: TracesAddress }) {
  const { openId, close } = address
  const list = useTraceList(address, useQuery(requestsQuery(address.search)))
  return (
    <TracesFrame
      address={address}
      list={list}
      table={(held, look) => <RequestTable address={address} held={held} look={look} />}
      peek={openId !== undefined && <RequestPeek key={openId} id={openId} list={list} onClose={close} />}
    />
  )
}

function CallsPage({ address }: { readonly address: TracesAddress }) {
  const { openId, close } = address
  const list = useTraceList(address, useQuery(callsQuery(address.search)))
  return (
    <TracesFrame
      address={address}
      list={list}
      table={(held, look) => <CallTable address={address} held={held} look={look} />}
      peek={openId !== undefined && <CallPeek key={openId} id={openId} list={list} onClose={close} />}
    />
  )
}
