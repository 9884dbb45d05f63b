import { useEffect, useRef } from 'react'
import * as styles from './media.module.css'

/** Times a second that the bar moves; fewer where the viewer wants little motion. */
const FRAMES = { full: 15, reduced: 3 }

/** How loud a microphone is: a bar that moves while somebody speaks. */
export function Level({ stream }: { readonly stream: MediaStream }) {
  const bar = useRef<HTMLElement>(null)
  useEffect(() => {
    const context = new AudioContext()
    const analyser = context.createAnalyser()
    context.createMediaStreamSource(stream).connect(analyser)
    const samples = new Float32Array(analyser.fftSize)
    const isReduced = matchMedia('(prefers-reduced-motion: reduce)').matches
    const timer = setInterval(
      () => {
        analyser.getFloatTimeDomainData(samples)
        const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
        // the root shows quiet speech too
        bar.current?.style.setProperty('transform', `scaleX(${Math.min(1, Math.sqrt(loudest)).toFixed(2)})`)
      },
      1000 / (isReduced ? FRAMES.reduced : FRAMES.full),
    )
    return () => {
      clearInterval(timer)
      void context.close()
    }
  }, [stream])
  return (
    <span className={styles.level} aria-hidden="true" data-level>
      <i ref={bar} />
    </span>
  )
}
