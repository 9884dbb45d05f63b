import { useEffect, useRef, useState } from 'react'
import { useObservable } from '../chat/observable.ts'
import { createRecorder, type Recorder, type RecorderState } from './recorder.ts'

/** Most bytes of a recording: less than a server takes in one request by default. */
const LIMIT_BYTES = 14_000_000

/** A recorder that lives as long as the component. Leaving the page drops the recording and frees the microphone. */
export function useRecorder(
  limitSeconds: number,
  onRecorded: (file: File) => void,
): { readonly recorder: Recorder; readonly state: RecorderState } {
  const latest = useRef(onRecorded)
  latest.current = onRecorded
  const [recorder] = useState(() =>
    createRecorder({ limitSeconds, limitBytes: LIMIT_BYTES, onRecorded: (file) => latest.current(file) }),
  )
  useEffect(() => () => recorder.cancel(), [recorder])
  return { recorder, state: useObservable(recorder.state) }
}
