import { useEffect, useRef, useState } from 'react'
import { loadPicture, type Picture } from '../../lib/media/picture.ts'

/** A picture that the viewer has chosen. */
export interface ChosenPicture {
  readonly picture: Picture | undefined
  /** Whether the last choice is no picture that this browser reads, or is gone. */
  readonly isUnreadable: boolean
  readonly isLoading: boolean
  /** Reads another picture; a later choice ends an earlier one. */
  readonly take: (open: (signal: AbortSignal) => Promise<File>) => Promise<void>
  readonly clear: () => void
}

/** Keeps the picture of a form. @param onChange another picture, or none, has taken its place */
export function usePicture(maxSide: number, onChange?: () => void): ChosenPicture {
  const [picture, setPicture] = useState<Picture>()
  const [isUnreadable, setUnreadable] = useState(false)
  const [isLoading, setLoading] = useState(false)
  const loading = useRef<AbortController>(undefined)
  useEffect(() => () => loading.current?.abort(), [])
  const put = (next: Picture | undefined, isRefused = false) => {
    setPicture(next)
    setUnreadable(isRefused)
    setLoading(false)
    onChange?.()
  }
  return {
    picture,
    isUnreadable,
    isLoading,
    async take(open) {
      loading.current?.abort()
      const own = new AbortController()
      loading.current = own
      setLoading(true)
      try {
        const read = await loadPicture(await open(own.signal), maxSide)
        if (!own.signal.aborted) put(read)
      } catch {
        if (!own.signal.aborted) put(undefined, true)
      }
    },
    clear() {
      loading.current?.abort()
      put(undefined)
    },
  }
}
