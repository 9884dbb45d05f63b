export function MonitorPage() {
  return null
}
