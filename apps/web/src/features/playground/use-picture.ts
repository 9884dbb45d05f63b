import { useEffect, useRef, useState } from 'react'
import { loadPicture, type Picture } from '../../lib/media/picture.ts'

/** A picture that the viewer has chosen. */
export interface ChosenPicture {
  readonly picture: Picture | undefined
  readonly error: unknown
  readonly isLoading: boolean
  /** Reads another picture; a later choice ends an earlier one. */
  readonly take: (open: (signal: AbortSignal) => Promise<File>) => Promise<void>
  readonly clear: () => void
}

/** Keeps the picture of a form. @param onChange another picture, or none, has taken its place */
export function usePicture(maxSide: number, onChange?: () => void): ChosenPicture {
  const [picture, setPicture] = useState<Picture>()
  const [error, setError] = useState<unknown>()
  const [isLoading, setLoading] = useState(false)
  const loading = useRef<AbortController>(undefined)
  useEffect(() => () => loading.current?.abort(), [])
  const put = (next: Picture | undefined, failure?: unknown) => {
    setPicture(next)
    setError(failure)
    setLoading(false)
    onChange?.()
  }
  return {
    picture,
    error,
    isLoading,
    async take(open) {
      loading.current?.abort()
      const own = new AbortController()
      loading.current = own
      setLoading(true)
      try {
        const read = await loadPicture(await open(own.signal), maxSide)
        if (!own.signal.aborted) put(read)
      } catch (failure) {
        if (!own.signal.aborted) put(undefined, failure)
      }
    },
    clear() {
      loading.current?.abort()
      put(undefined)
    },
  }
}
