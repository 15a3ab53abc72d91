#include "tuner/report/page.h"

namespace tuner {

// Names reach the page as textContent only, and never as markup.
std::string page_script() {
  return R"js('use strict';
(() => {
const data = JSON.parse(document.getElementById('data').textContent);
const root = document.documentElement;
const dark = matchMedia('(prefers-color-scheme: dark)');
const isDark = () => root.dataset.theme ? root.dataset.theme === 'dark' : dark.matches;
const make = (name, text, className) => {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  return node;
};

// Tables.
const field = (text, number) => {
  let value = String(text);
  if (!number && /^[=+\-@\t\r]/.test(value) && isNaN(Number(value))) value = "'" + value;
  return /[",\n\r]/.test(value) ? '"' + value.replaceAll('"', '""') + '"' : value;
};
const save = (name, rows) => {
  const link = make('a');
  link.href = URL.createObjectURL(new Blob([rows.join('\r\n') + '\r\n'], {type: 'text/csv'}));
  link.download = name + '.csv';
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
const cellOf = (column, row) => {
  const value = column.values[row];
  if (value === null) return '';
  return column.number ? value : column.texts[value];
};
const shown = value => typeof value === 'number' ? String(Number(value.toPrecision(5))) : value;
for (const section of document.querySelectorAll('[data-static]')) {
  section.querySelector('.csv').onclick = () => save(section.dataset.static,
    [...section.querySelectorAll('tr')].map(row =>
      [...row.children].map(cell => field(cell.textContent, cell.className === 'n')).join(',')));
}
for (const section of document.querySelectorAll('[data-rows]')) {
  const table = data.tables[section.dataset.rows], columns = table.columns, page = 50;
  const all = [...Array(table.rows).keys()];
  let rows = all, first = 0, sorted = -1, upwards = true;
  const body = section.querySelector('tbody'), heads = [...section.querySelectorAll('th')];
  const tools = make('div', undefined, 'tools'), filter = make('input');
  const back = make('button', '‹'), next = make('button', '›'), place = make('span');
  filter.placeholder = 'filter';
  filter.setAttribute('aria-label', 'Show only rows that hold this text');
  back.setAttribute('aria-label', 'Earlier rows');
  next.setAttribute('aria-label', 'Later rows');
  tools.append(filter, back, place, next, section.querySelector('.csv'));
  section.querySelector('.bar').append(tools);
  const draw = () => {
    body.replaceChildren(...rows.slice(first, first + page).map(row => {
      const line = make('tr');
      line.append(...columns.map(column =>
        make('td', shown(cellOf(column, row)), column.number ? 'n' : String(cellOf(column, row)).length > 30 ? 'w' : '')));
      return line;
    }));
    place.textContent = rows.length ? `${first + 1}–${Math.min(first + page, rows.length)} of ${rows.length}` : 'none';
    back.disabled = first === 0;
    next.disabled = first + page >= rows.length;
  };
  const choose = () => {
    const wanted = filter.value.toLowerCase();
    rows = !wanted ? [...all] : all.filter(row => columns.some(column =>
      String(cellOf(column, row)).toLowerCase().includes(wanted)));
    if (sorted >= 0) {
      const column = columns[sorted], sign = upwards ? 1 : -1;
      rows.sort((a, b) => {
        const x = cellOf(column, a), y = cellOf(column, b);
        if (x === '' || y === '') return (x === '') - (y === '');
        return sign * (column.number ? x - y : String(x).localeCompare(String(y), 'en', {numeric: true}));
      });
    }
    first = 0;
    draw();
  };
  heads.forEach((head, i) => {
    head.classList.add('sorts');
    head.onclick = () => {
      upwards = sorted === i ? !upwards : true;
      sorted = i;
      heads.forEach((other, j) => other.setAttribute('aria-sort', j !== i ? 'none' : upwards ? 'ascending' : 'descending'));
      choose();
    };
  });
  filter.oninput = choose;
  back.onclick = () => { first -= page; draw(); };
  next.onclick = () => { first += page; draw(); };
  section.querySelector('.csv').onclick = () => save(section.dataset.rows,
    [columns.map(column => field(column.heading)).join(',')].concat(rows.map(row =>
      columns.map(column => field(cellOf(column, row), column.number)).join(','))));
  draw();
}

// Charts.
const tip = make('div');
tip.id = 'tip';
tip.hidden = true;
document.body.append(tip);
const describe = (name, datum) => {
  const table = data.tables[name];
  if (!table || !Array.isArray(datum) || datum[2] < 0 || datum[2] >= table.rows) return null;
  const row = datum[2];
  return table.columns.map(column => [column.heading, shown(cellOf(column, row))])
    .filter(pair => pair[1] !== '').map(pair => pair.join(': ')).join('\n');
};
const tooltip = name => (handler, event, item, value) => {
  const text = value && describe(name, value);
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8)) + 'px';
  tip.style.top = Math.max(4, Math.min(event.clientY + 14, innerHeight - box.height - 8)) + 'px';
};
const views = [];
// A canvas for many points, which as elements of SVG would be slow.
const rendererOf = spec => spec.data.reduce((sum, one) => sum + one.values.length, 0) > 1500 ? 'canvas' : 'svg';
const draw = () => {
  for (const view of views.splice(0)) view.finalize();
  const style = getComputedStyle(root), color = name => style.getPropertyValue(name).trim();
  const ink = color('--ink'), muted = color('--muted');
  const config = {
    background: null,
    axis: {labelColor: muted, titleColor: ink, gridColor: color('--grid'), domainColor: color('--line'),
           labelFont: 'system-ui, sans-serif', titleFont: 'system-ui, sans-serif', titleFontWeight: 'normal',
           labelFontSize: 11, titleFontSize: 12},
    legend: {labelColor: muted, labelFont: 'system-ui, sans-serif', labelFontSize: 12},
    view: {stroke: null},
  };
  const palette = [...Array(16).keys()].map(i => color('--c' + i));
  let drawn = 0;
  for (const figure of document.querySelectorAll('[data-chart]')) {
    const chart = data.charts[figure.dataset.chart];
    if (!chart) continue;
    const spec = structuredClone(chart.spec);
    spec.signals.find(one => one.name === 'palette').value = palette;
    spec.signals.find(one => one.name === 'ink').value = ink;
    const plot = figure.querySelector('.plot');
    figure.still ||= [...plot.childNodes];
    try {
      plot.replaceChildren();
      const view = new vega.View(vega.parse(spec, config),
        {renderer: rendererOf(spec), container: plot, hover: true, logLevel: 1});
      view.tooltip(tooltip(chart.table));
      view.run();
      views.push(view);
      ++drawn;
    } catch (error) {
      console.error(figure.dataset.chart, error);
      plot.replaceChildren(...figure.still);
    }
  }
  root.dataset.charts = drawn;
};
const button = document.getElementById('theme');
const label = () => { button.textContent = isDark() ? 'Light' : 'Dark'; };
const change = () => { label(); if (typeof vega !== 'undefined') draw(); };
button.hidden = false;
button.onclick = () => { root.dataset.theme = isDark() ? 'light' : 'dark'; change(); };
dark.addEventListener('change', change);
// Ink on paper is dark.
let before;
addEventListener('beforeprint', () => { before = root.dataset.theme; root.dataset.theme = 'light'; change(); });
addEventListener('afterprint', () => { if (before) root.dataset.theme = before; else delete root.dataset.theme; change(); });
change();
})();
)js";
}

}  // namespace tuner
