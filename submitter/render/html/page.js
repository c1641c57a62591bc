'use strict';
(() => {
  const facts = JSON.parse(document.getElementById('facts').textContent);
  const { pool, looks, made } = facts;
  const SVG = 'http://www.w3.org/2000/svg';
  const byId = new Map(facts.tables.map((table) => [table.id, prepare(table)]));
  const narrow = matchMedia('(max-width: 44rem)');
  const $ = (id) => document.getElementById(id);

  // ------------------------------------------------------------ elements

  function h(name, attributes, ...parts) {
    const svg = name === 'svg' || name === 'rect' || name === 'use';
    const made = svg ? document.createElementNS(SVG, name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
      else if (value === true) made.setAttribute(key, '');
      else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value);
    }
    for (const part of parts) if (part !== null && part !== undefined && part !== false) made.append(part);
    return made;
  }
  const grouped = new Intl.NumberFormat('en-US');
  const number = (value) => grouped.format(value);
  const icon = (name) =>
    h('svg', { class: 'i', 'aria-hidden': 'true', viewBox: '0 0 16 16' }, h('use', { href: '#i-' + name }));

  // As render/times.py: below so many seconds, in the one unit and what is left of it in the other.
  const SPANS = [
    [60, 1, 's', 1, ''], [3600, 60, 'min', 60, ''], [86400, 3600, 'h', 60, 'min'],
    [864000, 86400, 'd', 3600, 'h'], [null, 86400, 'd', 86400, ''],
  ];
  function span(seconds) {
    const length = Math.abs(seconds);
    for (const [end, size, unit, fine, rest] of SPANS) {
      const whole = Math.ceil(length / fine - 0.5) * fine;
      if (end === null || whole < end)
        return Math.floor(whole / size) + ' ' + unit + (whole % size ? ' ' + (whole % size) / fine + ' ' + rest : '');
    }
  }
  const iso = (age) => new Date((made - age) * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
  const exact = (age) => iso(age).replace('T', ' ');
  const time = (age) =>
    h('time', { datetime: iso(age), title: exact(age) }, age < 0 ? 'in ' + span(age) : span(age) + ' ago');
  const look = (kind, value) => looks[kind][value] || [value, 'none', 'question'];
  function badge(kind, value) {
    const [word, tone, drawing] = look(kind, value);
    return h('span', { class: 's t-' + tone }, icon(drawing), word);
  }

  const BEATS = { f: 'failed', r: 'rejected', p: 'partial', u: 'unknown', s: 'sending', w: 'deferred', v: 'received', a: 'accepted' };
  const HEIGHTS = { good: 7, mild: 7, wait: 5, odd: 10, bad: 14 };
  function beat(letters) {
    const counts = {};
    const bars = [...letters].map((letter, day) => {
      const state = BEATS[letter];
      const word = state ? look('call', state)[0] : 'without calls';
      counts[word] = (counts[word] || 0) + 1;
      const tone = state ? look('call', state)[1] : 'none';
      const height = HEIGHTS[tone] || 1;
      return h('rect', { class: 'b-' + tone, x: day * 4, y: 14 - height, width: 3, height });
    });
    const words = Object.entries(counts).map(([word, count]) => count + ' ' + word).join(', ');
    const label = letters.length + ' days: ' + words;
    return h('svg', { class: 'beat', role: 'img', 'aria-label': label, viewBox: '0 0 ' + letters.length * 4 + ' 14' }, ...bars);
  }

  // ------------------------------------------------------------ tables

  function prepare(table) {
    table.at = new Map(table.columns.map((column, place) => [column.name, place]));
    table.shown = table.columns.map((_, place) => place).filter((place) => table.columns[place].kind !== 'hidden');
    table.rows = Array.from({ length: table.size }, (_, row) => row);
    return table;
  }
  const isNumber = (kind) => kind === 'count' || kind === 'signed' || kind === 'span' || kind === 'share';

  // A number, a text, an age in seconds, or null.
  function value(table, place, row) {
    const { kind } = table.columns[place];
    const data = table.data[place];
    if (kind === 'cell') return data.health[row] < 0 ? null : pool[data.health[row]];
    if (kind === 'time' || isNumber(kind)) return data[row];
    return data[row] < 0 ? null : pool[data[row]];
  }

  function href(table, template, row) {
    const filled = template.replace(/\{(\w+)\}/g, (_, name) => {
      const place = table.at.get(name);
      const found = value(table, place, row);
      if (found === null) return '';
      return encodeURIComponent(table.columns[place].kind === 'time' ? iso(found).slice(0, 10) : found);
    });
    if (!facts.live) return '#/' + filled;
    return (/^(log\?|pages\?|site\/)/.test(template) ? '/' : '/#/') + filled;
  }

  function shown(table, place, row) {
    const column = table.columns[place];
    const found = value(table, place, row);
    if (found === null) return h('span', { class: 'nil' }, '–');
    const parts = [];
    switch (column.kind) {
      case 'cell': {
        const data = table.data[place];
        parts.push(badge('health', found));
        if (data.age[row] !== null) parts.push(time(data.age[row]));
        parts.push(beat(pool[data.beat[row]]));
        break;
      }
      case 'time': parts.push(time(found)); break;
      case 'span': parts.push(span(found)); break;
      case 'signed': parts.push(found > 0 ? '+' + number(found) : number(found)); break;
      case 'share': parts.push(bar(found), found + ' %'); break;
      case 'count': parts.push(number(found)); break;
      default: parts.push(looks[column.kind] ? badge(column.kind, found) : text(table, column, row, found));
    }
    if (!column.link || found === 0) return parts;
    const why = column.kind === 'cell' ? table.data[place].why[row] : -1;
    return h('a', { href: href(table, column.link, row), title: why < 0 ? null : pool[why] }, ...parts);
  }

  // A host without its scheme where that is https, an address without the site it is on.
  function text(table, column, row, full) {
    let short = full;
    if (column.kind === 'site') short = full.replace(/^https:\/\//, '');
    if (column.kind === 'address' && table.at.has('site')) {
      const site = value(table, table.at.get('site'), row);
      if (site && full.startsWith(site + '/')) short = full.slice(site.length);
    }
    return h('bdi', { title: short === full ? null : full }, short);
  }

  function bar(share) {
    const tone = share >= 80 ? 'odd' : 'mild';
    return h('svg', { class: 'bar', 'aria-hidden': 'true', viewBox: '0 0 100 8', preserveAspectRatio: 'none' },
      h('rect', { class: 'b-track', width: 100, height: 8 }), h('rect', { class: 'b-' + tone, width: share, height: 8 }));
  }

  function comparer(table, place) {
    const { kind } = table.columns[place];
    const order = kind === 'cell' ? looks.health : looks[kind];
    const ranks = order && new Map(Object.keys(order).map((key, rank) => [key, rank]));
    const key = (row) => {
      const found = value(table, place, row);
      if (found === null) return null;
      if (ranks) return ranks.has(found) ? ranks.get(found) : ranks.size;
      return kind === 'time' ? -found : typeof found === 'string' ? found.toLowerCase() : found;
    };
    const keys = table.rows.map(key);
    return (a, b) => (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : a - b);
  }

  function sorted(table, rows, place, down) {
    if (place === null) return rows;
    const compare = comparer(table, place);
    const known = rows.filter((row) => value(table, place, row) !== null);
    const nothing = rows.filter((row) => value(table, place, row) === null);
    known.sort(down ? (a, b) => compare(b, a) : compare);
    return known.concat(nothing);
  }

  function searched(table, rows, words) {
    const wanted = words.trim().toLowerCase();
    if (!wanted) return rows;
    const hits = new Set();
    pool.forEach((one, place) => one.toLowerCase().includes(wanted) && hits.add(place));
    const texts = table.columns.map((column, place) => [column, table.data[place]])
      .filter(([column]) => !isNumber(column.kind) && column.kind !== 'time' && column.kind !== 'hidden')
      .flatMap(([column, data]) => (column.kind === 'cell' ? [data.health, data.why] : [data]));
    return rows.filter((row) => texts.some((data) => hits.has(data[row])));
  }

  // Columns that a person may choose a value of; all cells of a matrix are one choice.
  function facetsOf(table) {
    const cells = table.columns.map((_, place) => place).filter((place) => table.columns[place].kind === 'cell');
    const single = table.columns.map((_, place) => place).filter((place) => table.columns[place].facet);
    const groups = single.map((place) => [table.columns[place].title, [place]]);
    return cells.length ? [['State', cells], ...groups] : groups;
  }

  function wordOf(table, place, found) {
    const kind = table.columns[place].kind === 'cell' ? 'health' : table.columns[place].kind;
    return looks[kind] ? look(kind, found)[0] : found;
  }

  let serial = 0;
  class Listing {
    constructor(holder, table, rows, without) {
      this.holder = holder;
      this.table = table;
      this.shown = table.shown.filter((place) => table.columns[place].name !== without);
      this.base = rows || table.rows;
      this.sort = null;
      this.down = false;
      this.page = 0;
      this.size = narrow.matches ? Math.min(10, table.page) : table.page;
      this.words = '';
      this.chosen = new Map();
      this.id = 't' + (serial += 1);
      this.draw();
    }

    draw() {
      const { table } = this;
      if (!this.base.length) return this.holder.replaceChildren(h('p', { class: 'empty' }, table.empty));
      this.head = h('tr', { role: 'row' }, ...this.shown.map((place) => this.header(place)));
      this.body = h('tbody', { role: 'rowgroup' });
      this.status = h('p', { role: 'status' });
      this.before = h('button', { type: 'button', onclick: () => this.turn(-1) }, 'Previous');
      this.after = h('button', { type: 'button', onclick: () => this.turn(1) }, 'Next');
      this.holder.replaceChildren(
        this.base.length > 8 ? this.tools() : '',
        h('div', { class: 'scroll' },
          h('table', { role: 'table' }, h('caption', { class: 'sr' }, table.title),
            h('thead', { role: 'rowgroup' }, this.head), this.body)),
        h('div', { class: 'pager' }, this.status, this.before, this.after, this.base.length > this.size ? this.sizes() : '',
          this.base.length > 8 ? h('button', { type: 'button', onclick: () => this.save() }, 'CSV') : ''));
      this.refresh();
    }

    header(place) {
      const column = this.table.columns[place];
      const button = h('button', { type: 'button', onclick: () => this.order(place) }, column.title);
      const kind = looks[column.kind] ? 'look' : column.kind;
      return h('th', { scope: 'col', role: 'columnheader', 'aria-sort': 'none', class: 'k-' + kind, title: column.doc || null }, button);
    }

    tools() {
      const { table } = this;
      const find = h('input', { type: 'search', placeholder: 'Find …', 'aria-label': 'Find in ' + table.title });
      find.addEventListener('input', () => { this.words = find.value; this.page = 0; this.refresh(); });
      const choices = facetsOf(table).map(([title, places]) => this.choice(title, places)).filter(Boolean);
      const by = this.shown.map((place) => h('option', { value: place }, table.columns[place].title));
      const order = h('select', { class: 'only-narrow', 'aria-label': 'Sort by' }, h('option', { value: '' }, 'Sort by …'), ...by);
      order.addEventListener('change', () => order.value !== '' && this.order(Number(order.value)));
      return h('div', { class: 'tools' }, find, ...choices, order);
    }

    choice(title, places) {
      const counts = new Map();
      for (const row of this.base) {
        const here = new Set(places.map((place) => value(this.table, place, row)).filter((one) => one !== null));
        for (const one of here) counts.set(one, (counts.get(one) || 0) + 1);
      }
      if (counts.size < 2 || counts.size > 200) return null;
      const options = [...counts].sort((a, b) => b[1] - a[1]).map(([found, count]) =>
        h('option', { value: found }, wordOf(this.table, places[0], found) + ' (' + number(count) + ')'));
      const select = h('select', { 'aria-label': title }, h('option', { value: '' }, 'Any ' + title.toLowerCase()), ...options);
      select.addEventListener('change', () => {
        if (select.value) this.chosen.set(title, [places, select.value]);
        else this.chosen.delete(title);
        this.page = 0;
        this.refresh();
      });
      return select;
    }

    sizes() {
      const select = h('select', { 'aria-label': 'Rows on a page' },
        ...[this.size, 50, 200, 1000].map((size) => h('option', { value: size }, size + ' rows')));
      select.addEventListener('change', () => { this.size = Number(select.value); this.page = 0; this.refresh(); });
      return select;
    }

    order(place) {
      const first = ['count', 'signed', 'share', 'span', 'time'].includes(this.table.columns[place].kind);
      this.down = this.sort === place ? !this.down : first;
      this.sort = place;
      this.page = 0;
      this.refresh();
    }

    turn(step) {
      this.page += step;
      this.refresh();
      const button = step > 0 ? this.after : this.before;
      if (button.disabled) (step > 0 ? this.before : this.after).focus();
    }

    selected() {
      let rows = searched(this.table, this.base, this.words);
      for (const [places, wanted] of this.chosen.values())
        rows = rows.filter((row) => places.some((place) => value(this.table, place, row) === wanted));
      return sorted(this.table, rows, this.sort, this.down);
    }

    refresh() {
      const { table } = this;
      const rows = this.selected();
      const first = this.page * this.size;
      const page = rows.slice(first, first + this.size);
      this.body.replaceChildren(...page.map((row) => this.row(row)));
      [...this.head.children].forEach((head, n) => {
        const direction = this.down ? 'descending' : 'ascending';
        head.setAttribute('aria-sort', this.shown[n] === this.sort ? direction : 'none');
      });
      const of = rows.length === this.base.length ? number(rows.length) : number(rows.length) + ' (of ' + number(this.base.length) + ')';
      this.status.textContent = rows.length ? number(first + 1) + '–' + number(first + page.length) + ' of ' + of : table.empty;
      this.before.disabled = this.page === 0;
      this.after.disabled = first + this.size >= rows.length;
      this.before.hidden = this.after.hidden = rows.length <= this.size;
    }

    row(row) {
      const { table } = this;
      return h('tr', { role: 'row' }, ...this.shown.map((place, n) => {
        const column = table.columns[place];
        const kind = looks[column.kind] ? 'look' : column.kind;
        const parts = [].concat(shown(table, place, row));
        if (n === 0) return h('th', { scope: 'row', role: 'rowheader', class: 'k-' + kind, 'data-label': column.title }, ...parts);
        return h('td', { role: 'cell', class: 'k-' + kind, 'data-label': column.title }, ...parts);
      }));
    }

    save() {
      const quoted = (one) => {
        if (one === null) return '';
        const safe = typeof one === 'string' && /^[=+\-@\t\r]/.test(one) ? "'" + one : String(one);
        return /[",\n]/.test(safe) ? '"' + safe.replace(/"/g, '""') + '"' : safe;
      };
      const { table } = this;
      const places = table.shown;
      const cells = (row) => places.map((place) => {
        const found = value(table, place, row);
        return found !== null && table.columns[place].kind === 'time' ? iso(found) : found;
      });
      const lines = [places.map((place) => table.columns[place].name), ...this.selected().map(cells)];
      const file = new Blob([lines.map((line) => line.map(quoted).join(',') + '\n').join('')], { type: 'text/csv' });
      const link = h('a', { href: URL.createObjectURL(file), download: table.id + '.csv' });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    }
  }

  // ------------------------------------------------------------ views

  // Rows that a link means: `state=a,b`, `waiting=nonzero`, `used=80-`, `within=-60`, `since=…`, `day=…`.
  function filtered(table, query) {
    let { rows } = table;
    for (const [name, wanted] of query) {
      const place = table.at.get(name);
      const when = table.at.has('sent_at') ? table.at.get('sent_at') : table.at.get('at');
      if (place !== undefined) rows = rows.filter(matcher(table, place, wanted));
      else if (name === 'since' && when !== undefined) rows = rows.filter((row) => value(table, when, row) <= made - Date.parse(wanted) / 1000);
      else if (name === 'day' && when !== undefined) rows = rows.filter((row) => iso(value(table, when, row)).startsWith(wanted));
    }
    return rows;
  }

  function matcher(table, place, wanted) {
    if (wanted === '') return (row) => value(table, place, row) === null;
    if (wanted === 'nonzero') return (row) => Boolean(value(table, place, row));
    if (isNumber(table.columns[place].kind)) {
      const limit = Number.parseInt(wanted.replace(/^-/, ''), 10);
      if (wanted.endsWith('-')) return (row) => value(table, place, row) !== null && value(table, place, row) >= limit;
      if (wanted.startsWith('-')) return (row) => value(table, place, row) !== null && value(table, place, row) <= limit;
      return (row) => value(table, place, row) === limit;
    }
    const any = new Set([wanted, ...wanted.split(',')]);
    return (row) => any.has(value(table, place, row));
  }

  const shell = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'");
  const SERVE = 'submitter serve';
  function command(table, query) {
    if (!table.command.startsWith('submitter') || table.command === SERVE) return table.command;
    if (table.id === 'documents') return table.command + ' ' + shell(query.get('sitemap') || 'SITEMAP');
    if (table.id === 'pages' && query.get('state') === 'waiting') return SERVE;
    const parts = [table.command];
    const calls = table.id === 'log' || table.id === 'pages';
    for (const [name, wanted] of query) {
      if (name === 'crawler') parts.push('--bot', shell(wanted));
      if (['site', 'account', 'engine', 'run'].includes(name) && wanted) parts.push('--' + name, shell(wanted));
      const states = wanted === 'told' ? ['accepted', 'received', 'already'] : wanted.split(',');
      if (name === 'state' && calls) for (const one of states) parts.push('--state', shell(one));
      if (calls && (name === 'since' || name === 'day')) parts.push('--since', shell(wanted));
    }
    if (calls) parts.push('--limit 0');
    return parts.join(' ');
  }

  // What the rows of a link give: see `of=` in table.py.
  const UNFILTERED = ['of', 'sum', 'each'];
  function totalOf(table, rows, query) {
    const summed = table.at.get(query.get('sum'));
    if (summed !== undefined) return rows.reduce((sum, row) => sum + (value(table, summed, row) || 0), 0);
    const places = (query.get('each') || '').split(',').map((name) => table.at.get(name)).filter((place) => place !== undefined);
    if (places.length) return new Set(rows.map((row) => JSON.stringify(places.map((place) => value(table, place, row))))).size;
    return rows.length;
  }

  function noteOf(table, rows, query) {
    const of = query.has('of') ? Number(query.get('of')) : null;
    const total = totalOf(table, rows, query);
    const summed = table.at.get(query.get('sum'));
    const parts = [];
    if (summed !== undefined) parts.push(table.columns[summed].title + ': ' + number(total) + ' in all. ');
    const cut = of === null ? table.id === 'log' : total < of;
    if (cut && of !== null) parts.push(number(total) + ' of ' + number(of) + (summed === undefined ? ' rows' : '') + ' are here. ');
    if (table.note && (cut || (of !== null && total > of))) parts.push(table.note + ' ');
    if (table.command) {
      const line = command(table, query);
      parts.push(cut ? 'All of them: ' : line === SERVE ? 'The same live, as JSON and as CSV: ' : 'The same from the command line: ', h('code', {}, line));
    }
    return parts.length ? h('p', { class: 'note' }, ...parts) : '';
  }

  function tableView(table, query) {
    const rows = filtered(table, query);
    const chips = [...query].filter(([name]) => !UNFILTERED.includes(name)).map(([name, wanted]) => {
      const rest = new URLSearchParams(query);
      for (const one of [name, ...UNFILTERED]) rest.delete(one);
      const place = table.at.get(name);
      const words = wanted === '' ? 'none' : wanted.split(',').map((one) => (place === undefined ? one : wordOf(table, place, one))).join(' or ');
      return h('a', { href: '#/' + table.id + '?' + rest, 'aria-label': 'Take away the filter ' + name }, name + ': ' + words + ' ×');
    });
    const holder = h('div');
    new Listing(holder, table, rows);
    return [table.title, [h('div', { class: 'chips' }, ...chips), noteOf(table, rows, query), holder]];
  }

  function siteView(site) {
    const query = new URLSearchParams({ site });
    const blocks = [];
    for (const id of ['alerts', 'targets', 'sitemaps', 'troubles', 'documents', 'site_crawls', 'log']) {
      const table = byId.get(id);
      if (!table) continue;
      const rows = filtered(table, query);
      if (!rows.length && id !== 'targets' && id !== 'log') continue;
      const holder = h('div');
      new Listing(holder, table, rows, 'site');
      blocks.push(h('h3', {}, table.title), holder);
      if (id === 'log') blocks.push(h('p', { class: 'note' }, table.note + ' All of them: ', h('code', {}, command(table, query))));
    }
    return [site, blocks];
  }

  let left = 0;
  function go() {
    const hash = location.hash;
    const [path, params] = hash.startsWith('#/') ? hash.slice(2).split(/\?(.*)/s) : ['', ''];
    const table = byId.get(path);
    const wasHome = !$('home').hidden;
    let shownView = null;
    try {
      if (path.startsWith('site/')) shownView = siteView(decodeURIComponent(path.slice(5)));
      else if (table) shownView = tableView(table, new URLSearchParams(params || ''));
    } catch { shownView = null; }
    if (shownView && wasHome) left = scrollY;
    $('home').hidden = Boolean(shownView);
    $('view').hidden = !shownView;
    if (!shownView) {
      $('view').replaceChildren();
      document.title = facts.title + ' · submitter';
      if (wasHome) return;
      const place = hash.length > 1 && !hash.startsWith('#/') && $(decodeURIComponent(hash.slice(1)));
      if (place) place.scrollIntoView(); else scrollTo({ top: left, behavior: 'instant' });
      return;
    }
    const [title, parts] = shownView;
    const heading = h('h2', { tabindex: '-1' }, h('bdi', {}, title));
    $('view').replaceChildren(h('a', { href: '#/', class: 'back' }, '← Back to the whole fleet'), h('div', {}, heading, ...parts));
    document.title = title + ' · ' + facts.title;
    scrollTo({ top: 0, behavior: 'instant' });
    heading.focus({ preventScroll: true });
  }

  // ------------------------------------------------------------ life

  function themes() {
    const button = $('theme');
    const names = ['auto', 'light', 'dark'];
    let now = 'auto';
    try { now = localStorage.getItem('submitter-theme') || 'auto'; } catch { /* no storage for files */ }
    const show = () => {
      if (now === 'auto') delete document.documentElement.dataset.theme;
      else document.documentElement.dataset.theme = now;
      button.textContent = 'Theme: ' + now;
    };
    button.hidden = false;
    button.addEventListener('click', () => {
      now = names[(names.indexOf(now) + 1) % names.length];
      try { localStorage.setItem('submitter-theme', now); } catch { /* stays for this page */ }
      show();
    });
    show();
  }

  function ages() {
    const old = Math.floor(Date.now() / 1000) - made;
    if (old < 60) return;
    $('age').textContent = ' (' + span(old) + ' ago)';
    if (old > 36 * 3600 && !facts.live) {
      $('stale').textContent = 'This report is ' + span(old) + ' old; what it says may have changed since.';
      $('stale').hidden = false;
    }
  }

  async function look_for_news() {
    if (document.hidden) return;
    try {
      const answer = await fetch('/data/head.json', { cache: 'no-store' });
      const { head } = await answer.json();
      if (head === facts.head) return;
      $('stale').replaceChildren('Calls were recorded since. ', h('a', { href: location.href, onclick: (event) => { event.preventDefault(); location.reload(); } }, 'Show them'));
      $('stale').hidden = false;
    } catch { /* the server is away; the page stays what it is */ }
  }

  for (const holder of document.querySelectorAll('#home [data-table]')) {
    const table = byId.get(holder.dataset.table);
    if (table) new Listing(holder, table);
  }
  themes();
  ages();
  addEventListener('hashchange', go);
  go();
  if (facts.live) setInterval(look_for_news, 30000);
})();
