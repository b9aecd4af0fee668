/** Bounds a map: its entries stand in the order they came in. */
export function forgetOldest(map: Map<unknown, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) break
    map.delete(key)
  }
}
