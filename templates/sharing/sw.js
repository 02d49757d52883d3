// Without a network: a page that says so. With one: files that never change come from here, pages
// always from the site. Nothing that somebody wrote or reads is kept.
const KEPT = "files-{{ version }}", OFFLINE = "{{ offline }}", FILES = "{{ static_url }}";
const HASHED = /\.[0-9a-f]{12}\.\w+$/;

async function install() {
  const cache = await caches.open(KEPT);
  const page = await fetch(OFFLINE, { credentials: "omit", cache: "reload" });
  const files = [...(await page.clone().text()).matchAll(/<link rel="stylesheet" href="([^"]+)"/g)];
  await cache.put(OFFLINE, page);
  await cache.addAll(files.map((found) => found[1]));
  await self.skipWaiting();
}

async function activate() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== KEPT).map((name) => caches.delete(name)));
  await self.registration.navigationPreload?.enable();
  await self.clients.claim();
}

async function page(event) {
  try {
    return (await event.preloadResponse) || (await fetch(event.request));
  } catch {
    return (await caches.match(OFFLINE)) || Response.error();
  }
}

async function file(request) {
  const kept = await caches.match(request);
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.status === 200) (await caches.open(KEPT)).put(request, answer.clone());
  return answer;
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("fetch", (event) => {
  const { request } = event, url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (request.mode === "navigate") event.respondWith(page(event));
  else if (url.pathname.startsWith(FILES) && HASHED.test(url.pathname)) event.respondWith(file(request));
});
