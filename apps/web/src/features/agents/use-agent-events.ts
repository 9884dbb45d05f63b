import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { findEvents, messagesQuery } from './api.ts'

/** Time between an event and the question for the messages, so that steps which come together are fetched once. */
const GATHER_MS = 200
const EVENTS = ['json_message', 'json_message_status', 'json_error', 'observable_update']

/** Fetches the messages of an agent when something happens to them. @param isFollowing whether something can happen */
export function useAgentEvents(name: string, isFollowing: boolean): void {
  const cache = useQueryClient()
  useEffect(() => {
    if (!isFollowing || typeof EventSource === 'undefined') return undefined
    const source = new EventSource(findEvents(name))
    let timer: ReturnType<typeof setTimeout> | undefined
    const gather = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        void cache.invalidateQueries({ queryKey: messagesQuery(name).queryKey })
      }, GATHER_MS)
    }
    for (const event of EVENTS) source.addEventListener(event, gather)
    return () => {
      clearTimeout(timer)
      source.close()
    }
  }, [cache, name, isFollowing])
}
